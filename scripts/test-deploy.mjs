// Checks the files in deploy/ with the programs that they are for: nginx, HAProxy and systemd. A program that is not
// installed is named, and its file is not checked; with --all that is a failure.
// Prints one line for each file and exits with 1 if any of them is wrong.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Another folder is checked in its place by the test of this script. */
const folder = process.env.DEPLOY_FOLDER ?? join(root, 'deploy')
const needsAll = process.argv.includes('--all')

/** In tenths, as `systemd-analyze security` counts: what is above this is too open. */
const MOST_EXPOSED = 20

const checks = [
  {
    file: 'nginx/dragoman.conf',
    program: 'nginx',
    install: 'apt-get install nginx-light',
    check: (workshop) => nginxAccepts(workshop, read('nginx/upstream.conf')),
  },
  {
    file: 'compose/upstream.conf',
    program: 'nginx',
    install: 'apt-get install nginx-light',
    // The names are those of containers, and nginx looks for them at its start.
    check: (workshop) =>
      nginxAccepts(workshop, read('compose/upstream.conf').replaceAll(/\bgateway-\d\b/g, '127.0.0.1')),
  },
  {
    file: 'haproxy/haproxy.cfg',
    program: 'haproxy',
    install: 'apt-get install haproxy',
    check: haproxyAccepts,
  },
  {
    file: 'systemd/dragoman.service',
    program: 'systemd-analyze',
    install: 'apt-get install systemd',
    check: systemdAccepts,
  },
]

const failures = []
const missing = []
const workshop = mkdtempSync(join(tmpdir(), 'dragoman-deploy-'))
try {
  makeCertificate(workshop)
  for (const { file, program, install, check } of checks) {
    if (!isInstalled(program)) {
      missing.push(program)
      console.log(`--   deploy/${file}: ${program} is missing (${install})`)
      continue
    }
    const fault = check(workshop)
    console.log(`${fault === null ? 'ok  ' : 'FAIL'} deploy/${file} (${program})`)
    if (fault === null) continue
    failures.push(file)
    for (const line of fault.trim().split('\n')) console.log(`     ${line}`)
  }
} finally {
  rmSync(workshop, { recursive: true, force: true })
}
if (failures.length > 0) console.error(`\n${failures.length} files in deploy/ are wrong.`)
if (needsAll && missing.length > 0) console.error(`\nNot installed: ${[...new Set(missing)].join(', ')}.`)
if (failures.length > 0 || (needsAll && missing.length > 0)) process.exitCode = 1

function nginxAccepts(place, upstream) {
  const site = read('nginx/dragoman.conf').replaceAll('/etc/nginx/tls/', `${place}/`)
  const at = join(place, 'nginx')
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'upstream.conf'), upstream)
  writeFileSync(join(at, 'dragoman.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${at}/${name};`)
    .join(' ')
  writeFileSync(
    join(at, 'nginx.conf'),
    `pid ${at}/pid; error_log stderr; events {} http { access_log off; ${temporary} include ${at}/upstream.conf; include ${at}/dragoman.conf; }\n`,
  )
  return faultOf(
    'nginx',
    ['-t', '-p', at, '-c', join(at, 'nginx.conf'), '-e', 'stderr'],
    /\[(?:warn|emerg)\]/,
  )
}

function haproxyAccepts(place) {
  const at = join(place, 'haproxy.cfg')
  writeFileSync(at, read('haproxy/haproxy.cfg').replaceAll('/etc/haproxy/tls/', `${place}/`))
  return faultOf('haproxy', ['-c', '-f', at], /\[(?:WARNING|ALERT)\]/)
}

/** The unit is verified as it is, but for the program, which need not be installed here. */
function systemdAccepts(place) {
  const at = join(place, 'dragoman.service')
  cpSync(join(folder, 'systemd/dragoman.service'), at)
  const unit = readFileSync(at, 'utf8')
  const program = /^ExecStart=(\S+)/m.exec(unit)?.[1] ?? ''
  if (!existsSync(program))
    writeFileSync(at, unit.replace(`ExecStart=${program}`, `ExecStart=${process.execPath}`))
  return (
    // What other units on this machine do wrong is told too.
    faultOf('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', at], /dragoman\.service/) ??
    faultOf('systemd-analyze', ['security', '--offline=yes', '--no-pager', `--threshold=${MOST_EXPOSED}`, at])
  )
}

/** Why a program is not content, or null. A warning is a fault. */
function faultOf(program, args, warning) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000 })
  const said = `${stdout}${stderr}`
  if (error !== undefined) return error.message
  return status === 0 && warning?.test(said) !== true ? null : said
}

function makeCertificate(place) {
  const [key, certificate] = [join(place, 'tls.key'), join(place, 'tls.crt')]
  const subject = ['-subj', '/CN=gateway.example', '-days', '1']
  const made = spawnSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`openssl cannot make a certificate: ${made.error ?? made.stderr}`)
  writeFileSync(join(place, 'tls.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((place) => existsSync(join(place, program)))
}

function read(file) {
  return readFileSync(join(folder, file), 'utf8')
}
