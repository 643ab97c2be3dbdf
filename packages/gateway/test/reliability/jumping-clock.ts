/**
 * The option with which Node starts with a wall clock that can be set: SIGUSR2 sets it an hour ahead, and another
 * one an hour back behind the right time. Nothing else of the process changes.
 */
export const jumpingClock = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source())}` }

function source(): string {
  return `
    const hours = [1, -1]
    let offset = 0
    const rightNow = Date.now
    const RightDate = Date
    globalThis.Date = class extends RightDate {
      constructor(...given) {
        if (given.length === 0) super(rightNow() + offset)
        else super(...given)
      }
      static now() {
        return rightNow() + offset
      }
    }
    process.on('SIGUSR2', () => {
      offset = (hours.shift() ?? 0) * 3600000
    })
  `
}
