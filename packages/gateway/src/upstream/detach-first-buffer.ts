/**
 * Detaches a buffer of no use. V8 compiles code on the assumption that no buffer is ever detached, and throws all such code away
 * when the first one is. `undici` reads answers with a parser in WebAssembly, whose memory grows with the number of connections, and
 * each time it grows its old buffer is detached. That would come in the middle of the traffic, when many clients arrive at
 * once, and requests would take twice as long for some seconds. Before the first request no compiled code is lost.
 */
export function detachFirstBuffer(): void {
  const buffer = new ArrayBuffer(1)
  structuredClone(buffer, { transfer: [buffer] })
}
