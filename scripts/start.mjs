// What `npm start` runs: the gateway, which ends with the shell that npm started it in. npm passes a signal on to that
// shell alone; left behind, the gateway would keep the port.
const shell = process.ppid
setInterval(() => {
  if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM')
}, 500).unref()

await import('../packages/gateway/bin/dragoman.js')
