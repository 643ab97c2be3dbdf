import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { encodeCommand, RedisError, type Reply, ReplyReader } from './resp.ts'
import { StoreFault } from './store.ts'

export interface RedisConnectionOptions {
  /** `redis://USER:PASSWORD@HOST:PORT/DATABASE`, or `rediss://` over TLS. */
  readonly url: string
  /** How long a command may take. A request waits for it. */
  readonly commandMs?: number
  readonly connectMs?: number
}

const COMMAND_MS = 500
const CONNECT_MS = 1000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

type State =
  | { readonly at: 'new' }
  | { readonly at: 'connecting'; readonly link: Promise<Link> }
  | { readonly at: 'open'; readonly link: Link }
  /** It is tried again in the background. Nobody waits for that. */
  | { readonly at: 'down'; readonly why: string; readonly timer: NodeJS.Timeout }
  | { readonly at: 'closed' }

/** One connection to Redis or Valkey, which is opened again whenever it is lost. */
export class RedisConnection {
  private readonly target: Target
  private readonly commandMs: number
  private readonly connectMs: number
  private state: State = { at: 'new' }
  private pause = FIRST_PAUSE_MS

  constructor({ url, commandMs = COMMAND_MS, connectMs = CONNECT_MS }: RedisConnectionOptions) {
    this.target = targetOf(url)
    this.commandMs = commandMs
    this.connectMs = connectMs
  }

  /** Rejects with a `StoreFault` where there is no answer, and with a `RedisError` where Redis says no. */
  async command(words: readonly string[]): Promise<Reply> {
    const link = await this.link()
    const reply = await link.send(words, this.commandMs)
    if (reply instanceof RedisError) throw reply
    return reply
  }

  close(): void {
    const { state } = this
    this.state = { at: 'closed' }
    if (state.at === 'open') state.link.end()
    else if (state.at === 'connecting') state.link.then((link) => link.end()).catch(ignore)
    else if (state.at === 'down') clearTimeout(state.timer)
  }

  private link(): Link | Promise<Link> {
    switch (this.state.at) {
      case 'open':
      case 'connecting':
        return this.state.link
      case 'new':
        return this.connect()
      case 'down':
        throw new StoreFault(this.state.why)
      case 'closed':
        throw new StoreFault('the connection to the store is closed')
    }
  }

  private connect(): Promise<Link> {
    const link = this.open()
    this.state = { at: 'connecting', link }
    link.then(
      (opened) => {
        if (this.state.at !== 'connecting') return
        this.pause = FIRST_PAUSE_MS
        this.state = { at: 'open', link: opened }
      },
      (error: unknown) => this.lost(error instanceof Error ? error.message : String(error)),
    )
    return link
  }

  private async open(): Promise<Link> {
    const link = new Link(this.target, this.connectMs, (why) => this.lost(why))
    try {
      await link.opened
      const replies = await Promise.all(
        greeting(this.target).map((words) => link.send(words, this.connectMs)),
      )
      const refused = replies.find((reply) => reply instanceof RedisError)
      if (refused !== undefined) throw new StoreFault(`the store says: ${refused.message}`)
      return link
    } catch (error) {
      link.end()
      throw error
    }
  }

  private lost(why: string): void {
    if (this.state.at === 'closed' || this.state.at === 'down') return
    const timer = setTimeout(() => {
      this.connect().catch(ignore)
    }, this.pause)
    timer.unref()
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE_MS)
    this.state = { at: 'down', why, timer }
  }
}

interface Target {
  readonly isSecure: boolean
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

function targetOf(text: string): Target {
  const url = new URL(text)
  return {
    isSecure: url.protocol === 'rediss:',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 6379 : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  }
}

/** What is said before anything else. */
function greeting({ user, password, database }: Target): string[][] {
  const login = user === '' ? ['AUTH', password] : ['AUTH', user, password]
  return [
    ...(password === '' ? [] : [login]),
    ...(database === '' || database === '0' ? [] : [['SELECT', database]]),
    ['PING'],
  ]
}

interface Waiting {
  readonly answered: (reply: Reply) => void
  readonly failed: (fault: StoreFault) => void
  readonly timer: NodeJS.Timeout
}

/** One socket, until it breaks. Replies come in the order of the commands. */
class Link {
  readonly opened: Promise<void>
  private readonly socket: Socket
  private readonly where: string
  private readonly onLost: (why: string) => void
  private readonly reader = new ReplyReader()
  private readonly waiting: Waiting[] = []
  private state: 'open' | 'broken' = 'open'

  constructor({ isSecure, host, port }: Target, connectMs: number, onLost: (why: string) => void) {
    this.onLost = onLost
    this.where = `the store at ${host}:${port}`
    this.socket = isSecure ? connectTls({ host, port }) : connectTcp({ host, port })
    this.socket.setNoDelay(true)
    this.opened = new Promise((resolve, fail) => {
      const timer = setTimeout(
        () => this.break(`${this.where} cannot be reached within ${connectMs} ms`),
        connectMs,
      )
      this.socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer)
        resolve()
      })
      this.socket.once('close', () => {
        clearTimeout(timer)
        fail(new StoreFault(this.why))
      })
    })
    // It is awaited at once, or the link was given up.
    this.opened.catch(ignore)
    this.socket
      .on('data', (chunk: Buffer) => this.read(chunk))
      .on('error', (error) => this.break(`${this.where} cannot be reached: ${error.message}`))
      .on('close', () => this.break(`${this.where} closed the connection`))
  }

  private why = ''

  send(words: readonly string[], longest: number): Promise<Reply> {
    return new Promise((answered, failed) => {
      if (this.state === 'broken') {
        failed(new StoreFault(this.why))
        return
      }
      const late = (): void => this.break(`${this.where} does not answer within ${longest} ms`)
      // A process that was busy for so long itself finds the reply in its socket: it looks there before it gives up.
      const timer = setTimeout(() => setImmediate(() => this.waiting.includes(waiting) && late()), longest)
      const waiting: Waiting = { answered, failed, timer }
      this.waiting.push(waiting)
      this.socket.write(encodeCommand(words))
    })
  }

  end(): void {
    this.break('the connection to the store is closed')
  }

  private read(chunk: Buffer): void {
    try {
      for (const reply of this.reader.push(chunk)) {
        const next = this.waiting.shift()
        clearTimeout(next?.timer)
        next?.answered(reply)
      }
    } catch (error) {
      this.break(`${this.where}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Whoever waits is told. A reply that comes late would be taken for that of the next command. */
  private break(why: string): void {
    if (this.state === 'broken') return
    this.state = 'broken'
    this.why = why
    this.socket.destroy()
    for (const { failed, timer } of this.waiting.splice(0)) {
      clearTimeout(timer)
      failed(new StoreFault(why))
    }
    this.onLost(why)
  }
}

const ignore = (): void => {}
