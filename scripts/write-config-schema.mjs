// Writes the JSON schema of the configuration beside the package, for editors. Needs a build.
import { writeFile } from 'node:fs/promises'
import { configJsonSchema } from '../packages/gateway/dist/config/json-schema.js'

const file = new URL('../packages/gateway/config.schema.json', import.meta.url)
await writeFile(file, `${JSON.stringify(configJsonSchema(), null, 2)}\n`)
