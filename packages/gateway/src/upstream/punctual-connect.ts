import { buildConnector, errors } from 'undici'

/** The timer of `undici` may be off by about a second, so it only closes what was given up before. */
const ROUGHLY_MS = 1000

/** Makes connections, and gives up after so many milliseconds. */
export function connectWithin(
  timeout: number,
  options: buildConnector.BuildOptions = {},
): buildConnector.connector {
  const connect = buildConnector({ ...options, timeout: timeout + ROUGHLY_MS })
  return (target, callback) => {
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      callback(new errors.ConnectTimeoutError(`no connection within ${Math.round(timeout)} ms`), null)
    }, timeout)
    connect(target, (...outcome) => {
      const [, socket] = outcome
      clearTimeout(timer)
      if (!isOver) {
        callback(...outcome)
      } else {
        // The connection came too late: nobody would ever close it.
        socket?.destroy()
      }
    })
  }
}
