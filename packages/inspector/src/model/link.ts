/** A value in the fragment of an address, which reaches no server: compressed, in letters that need no escaping. */
export async function packed(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return toLetters(await through(bytes, new CompressionStream('deflate-raw')))
}

/** The value, or undefined where the text is none that was packed. */
export async function unpacked(letters: string): Promise<unknown> {
  try {
    const bytes = await through(fromLetters(letters), new DecompressionStream('deflate-raw'))
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

async function through(bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(transform)
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function toLetters(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromLetters(letters: string): Uint8Array<ArrayBuffer> {
  const binary = atob(letters.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}
