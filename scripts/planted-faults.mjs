// Faults that somebody could make, each with the tests that must notice it. `edits` are texts that stand exactly once in
// their file; `only` is a part of the names of the tests. Tests of core run its sources and those of the gateway run the
// gateway's, so nothing is built anew: a fault in core has to be noticed by a test of core.
const core = 'packages/core'
const gateway = 'packages/gateway'

export const plantedFaults = [
  {
    fault: 'a client leaves, and the upstream runs on',
    edits: [
      {
        file: `${gateway}/src/exchange/exchange.ts`,
        from: "this.response.on('close', () => this.clientGone())",
        to: "this.response.on('close', () => this.clearTimers())",
      },
    ],
    tests: [`${gateway}/test/server/client-leaves.test.ts`],
    only: 'of anthropic that leaves .* ends the upstream request at once',
  },
  {
    fault: '[DONE] behind an error',
    edits: [
      {
        file: `${core}/src/dialects/openai-chat/answer/encode.ts`,
        from: "if (this.state !== 'finished') return",
        to: "if (this.state === 'ended') return",
      },
    ],
    tests: [`${core}/test/dialects/openai-chat/encode.test.ts`],
    only: 'ends at a failure',
  },
  {
    fault: 'a regular expression goes over all that came, with each piece',
    edits: [
      {
        file: `${core}/src/text/text-window.ts`,
        from: '  take(end: number): string {\n',
        to: `  private came = ''

  take(end: number): string {
    this.came += this.text.slice(this.at, end)
    if (/\\b\\w+\\W+<\\/\\w+>$/.test(this.came)) this.final ||= false
`,
      },
    ],
    tests: [`${core}/test/laws/linear.test.ts`],
    only: '^hermes takes linear time for prose',
  },
  {
    fault: 'keys are compared with ===',
    edits: [
      {
        file: `${gateway}/src/security/gatekeeper.ts`,
        from: "if (timingSafeEqual(digest, Buffer.from(key.sha256, 'hex')))",
        to: "if (digest.toString('hex') === key.sha256)",
      },
    ],
    tests: [`${gateway}/test/security/key-comparison.test.ts`],
    only: 'in constant time',
  },
  {
    fault: 'the search ends at the first key that fits',
    edits: [
      {
        file: `${gateway}/src/security/gatekeeper.ts`,
        from: "if (timingSafeEqual(digest, Buffer.from(key.sha256, 'hex'))) found ??= key.name",
        to: "if (found === null && timingSafeEqual(digest, Buffer.from(key.sha256, 'hex'))) found = key.name",
      },
    ],
    tests: [`${gateway}/test/security/key-comparison.test.ts`],
    only: 'in constant time',
  },
  {
    fault: 'every origin may read the answers',
    edits: [
      {
        file: `${gateway}/src/security/cors.ts`,
        from: "response.setHeader('access-control-allow-origin', origin)",
        to: "response.setHeader('access-control-allow-origin', '*')",
      },
    ],
    tests: [`${gateway}/test/security/cors.test.ts`],
    only: 'may read',
  },
  {
    fault: 'CORS is spoken of although no origin is allowed',
    edits: [
      {
        file: `${gateway}/src/security/cors.ts`,
        from: 'if (allowedOrigins.length === 0) return',
        to: "if (allowedOrigins.length === 0) response.setHeader('access-control-allow-origin', '*')",
      },
    ],
    tests: [`${gateway}/test/security/web-pages.test.ts`],
    only: 'asks across sites',
  },
  {
    fault: 'redirects of an upstream are followed',
    edits: [
      {
        file: `${gateway}/src/upstream/client.ts`,
        from: "import { type buildConnector, Client, type Dispatcher, errors, Pool } from 'undici'",
        to: "import { Agent, type buildConnector, Client, type Dispatcher, errors, interceptors, Pool } from 'undici'",
      },
      {
        file: `${gateway}/src/upstream/client.ts`,
        from: 'const dispatcher = isNew ? new Client(this.origin, this.connecting) : this.pool',
        to: 'const dispatcher = new Agent(this.connecting).compose(interceptors.redirect({ maxRedirections: 3 }))',
      },
      {
        file: `${gateway}/src/upstream/client.ts`,
        from: '        path: options.path,\n',
        to: '        origin: this.origin,\n        path: options.path,\n',
      },
    ],
    tests: [`${gateway}/test/security/destination.test.ts`],
    only: 'redirect',
  },
  {
    fault: 'a name is called wherever it points',
    edits: [
      {
        file: `${gateway}/src/upstream/client.ts`,
        from: 'connectWithin(connectTimeout, { lookup: allowedLookup() })',
        to: 'connectWithin(connectTimeout, {})',
      },
    ],
    tests: [`${gateway}/test/security/destination.test.ts`],
    only: 'not called where it means 0.0.0.0',
  },
  {
    fault: 'a problem of a call is told nobody',
    edits: [
      {
        file: `${core}/src/engines/call-writer.ts`,
        from: '    this.noteSink.problem(code, message, source)\n',
        to: '',
      },
    ],
    tests: [`${core}/test/golden.test.ts`],
    only: 'hermes.md .* is reported',
  },
  {
    fault: 'a body has no end',
    edits: [
      {
        file: `${gateway}/src/base/read-body.ts`,
        from: 'if (declared > limit) {',
        to: 'if (declared > Infinity) {',
      },
      { file: `${gateway}/src/base/read-body.ts`, from: 'size += chunk.length', to: 'size += 0' },
    ],
    tests: [`${gateway}/test/server/reconfigure.test.ts`],
    only: 'leaves a running stream alone',
  },
  {
    fault: 'one route does not look at the Host',
    edits: [
      {
        file: `${gateway}/src/server/gateway.ts`,
        from: "route !== null && isProbed(route) ? 'any' : 'listed'",
        to: "route !== null && (isProbed(route) || route.path === '/v1/responses') ? 'any' : 'listed'",
      },
    ],
    tests: [`${gateway}/test/security/routes.test.ts`],
    only: '/v1/responses refuses a Host',
  },
  {
    fault: 'one route asks for no key',
    edits: [
      {
        file: `${gateway}/src/server/gateway.ts`,
        from: 'if (!route.isOpen) {',
        to: "if (!route.isOpen && !route.path.endsWith(':countTokens')) {",
      },
    ],
    tests: [`${gateway}/test/security/routes.test.ts`],
    only: 'countTokens asks for a key',
  },
  {
    fault: 'a form is read as JSON',
    edits: [
      {
        file: `${gateway}/src/security/gatekeeper.ts`,
        from: "if (type !== 'application/json' && !isJsonInUtf8(type))",
        to: "if (type === '')",
      },
    ],
    tests: [`${gateway}/test/security/web-pages.test.ts`],
    only: 'sends a form from a browser',
  },
  {
    fault: 'an answer that was cut off ends well',
    edits: [
      {
        file: `${core}/src/answer/stream.ts`,
        from: 'else answer.fail(cause ?? missingEnd(this.eventCount > 0, this.hasForeignLines), null)',
        to: 'else answer.finish(null)',
      },
    ],
    tests: [`${core}/test/dialects/openai-chat/decode.test.ts`],
    only: 'a stream that closes early',
  },
  {
    fault: 'the key of a client is in the log',
    edits: [
      {
        file: `${gateway}/src/server/gateway.ts`,
        from: 'log.key = admitted.keyName',
        to: "log.key = [request.headers['x-api-key']].flat()[0] ?? admitted.keyName",
      },
    ],
    tests: [`${gateway}/test/server/observation.test.ts`],
    only: 'names the key',
  },
  {
    fault: 'what an upstream says of a key goes to the client',
    edits: [
      {
        file: `${gateway}/src/exchange/client-answer.ts`,
        from: 'const told = redactFailure(inFull(failure, status, headers), redact)',
        to: 'const told = inFull(failure, status, headers)',
      },
    ],
    tests: [`${gateway}/test/security/secrets.test.ts`],
    only: 'a 400|a 401',
  },
  {
    fault: 'the log is written as it is',
    edits: [
      {
        file: `${gateway}/src/observe/logger.ts`,
        from: 'stream.write(redact(lineOf(level, fields, message)))',
        to: 'stream.write(lineOf(level, fields, message))',
      },
    ],
    tests: [`${gateway}/test/observe/logger.test.ts`],
    only: 'holds no secrets',
  },
  {
    fault: 'a secret is looked for only where base64 begins with it',
    edits: [
      { file: `${gateway}/src/security/redact.ts`, from: '    ...insideBase64(bytes),\n', to: '' },
      {
        file: `${gateway}/src/security/redact.ts`,
        from: 'function insideBase64(',
        to: 'export function insideBase64(',
      },
    ],
    tests: [`${gateway}/test/security/redact.test.ts`],
    only: 'in which it stands behind',
  },
  {
    fault: 'an event of an upstream may hold any number of values',
    edits: [
      {
        file: `${core}/src/json/objects.ts`,
        from: 'if (depth > DEEPEST_WRITTEN || values > MOST_VALUES) return true',
        to: 'if (depth > DEEPEST_WRITTEN) return true',
      },
    ],
    tests: [`${core}/test/answer/held.test.ts`],
    only: 'keeps others waiting: objects',
  },
  {
    fault: 'an upstream is asked again behind the first byte',
    edits: [
      {
        file: `${gateway}/src/exchange/upstream-answer.ts`,
        from: "if (fault.isStaleSocket && !this.hasRetried && this.state.at === 'waiting') {",
        to: 'if (!this.hasRetried) {',
      },
    ],
    tests: [`${gateway}/test/server/broken-streams.test.ts`],
    only: 'breaks off in the middle of a line',
  },
  {
    fault: 'headers of a client reach the upstream',
    edits: [
      {
        file: `${gateway}/src/upstream/upstream-request.ts`,
        from: '    ...server?.headers,\n',
        to: "    ...server?.headers,\n    ...(typeof client['x-smuggled'] === 'string' ? { 'x-smuggled': client['x-smuggled'] } : {}),\n",
      },
    ],
    tests: [`${gateway}/test/security/headers.test.ts`],
    only: 'reach the upstream',
  },
  {
    fault: 'escape sequences reach the terminal',
    edits: [
      {
        file: `${gateway}/src/base/printable.ts`,
        from: "return text.replaceAll('\\r', '').replaceAll(dangerous, spelled)",
        to: "return text.replaceAll('\\r', '')",
      },
    ],
    tests: [`${gateway}/test/chat/screen.test.ts`],
    only: 'reaches the terminal raw',
  },
  {
    fault: 'a link leads out of the working folder',
    edits: [
      {
        file: `${gateway}/src/chat/tools/work-folder.ts`,
        from: 'return this.inside(await realpath(this.lexical(given)), given)',
        to: 'return await realpath(this.lexical(given))',
      },
    ],
    tests: [`${gateway}/test/chat/work-folder.test.ts`],
    only: 'refused for reading',
  },
  {
    fault: 'a team: everybody tries an upstream that was out',
    edits: [
      {
        file: `${gateway}/src/routing/upstream-health.ts`,
        from: "return current.is === 'in' || (current.is === 'out' && current.until <= this.now())",
        to: "return current.is !== 'out' || current.until <= this.now()",
      },
    ],
    tests: [`${gateway}/test/routing/upstream-health.test.ts`],
    only: 'tried by one request',
  },
  {
    fault: 'a team: what a filter took away is asked for elsewhere',
    edits: [
      {
        file: `${gateway}/src/routing/move-on.ts`,
        from: '/content_?(?:filter|policy)|safety|moderation|',
        to: '/safety|moderation|',
      },
    ],
    tests: [`${gateway}/test/routing/every-pairing.test.ts`],
    only: 'client of openai-chat to a server of openai-chat',
  },
  {
    fault: 'a team: an upstream that wants to be left alone is asked',
    edits: [
      {
        file: `${gateway}/src/exchange/attempts.ts`,
        from: 'wait === undefined ? undefined : this.options.now() + wait',
        to: 'undefined',
      },
    ],
    tests: [`${gateway}/test/routing/fallback.test.ts`],
    only: 'as long as it asked for',
  },
  {
    fault: 'a team: an answer that was asked for elsewhere is paid for twice',
    edits: [
      {
        file: `${gateway}/src/server/request-log.ts`,
        from: '    this.ticket?.startAnew()\n',
        to: '',
      },
    ],
    tests: [`${gateway}/test/routing/fallback.test.ts`],
    only: 'is not counted: only the answer',
  },
  {
    fault: 'a team: one server gets all conversations, however busy it is',
    edits: [
      {
        file: `${gateway}/src/routing/balance.ts`,
        from: 'preferred.find(({ inFlight }) => inFlight < most)',
        to: 'preferred.find(({ inFlight }) => inFlight < Infinity)',
      },
    ],
    tests: [`${gateway}/test/routing/balance.test.ts`],
    only: 'gives no server more than a quarter',
  },
]
