/** The name of a client and its version, from what it says of itself: `claude-cli/2.1.4 (external, cli)`. */
export function clientName(userAgent: string | undefined): string | null {
  const [name = '', version = ''] = (userAgent ?? '').trim().split(/[\s;(]+/, 2)
  if (name === '') return null
  const isApart = /^v?\d[\w.-]*$/.test(version)
  return (isApart ? `${name} ${version}` : name).slice(0, LONGEST)
}

const LONGEST = 60
