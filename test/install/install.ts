import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * npm run test:install
 *
 * Follows docs/get-started/install.md, "On one machine", block by block without changes, and checks
 * the result: see docs/contribute/install.md. The exit code is 0 only if every block and every
 * check succeeded.
 *
 * The blocks need root, fixed ports, and files in /etc and /opt. They run in their own namespaces,
 * so the files, ports and processes of the machine don't change, and everything disappears at the
 * end.
 */

const NEEDED: Readonly<Record<string, string>> = {
  '/usr/bin/prometheus': 'prometheus',
  '/usr/bin/promtool': 'prometheus',
  '/usr/lib/postgresql': 'postgresql',
  '/usr/bin/psql': 'postgresql-client',
  '/usr/bin/unshare': 'util-linux',
  '/usr/bin/nsenter': 'util-linux',
  '/usr/sbin/ip': 'iproute2',
  '/usr/bin/ss': 'iproute2',
  '/usr/bin/pgrep': 'procps',
  '/usr/bin/curl': 'curl',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/python3': 'python3',
};

const missing = Object.entries(NEEDED)
  .filter(([path, name]) => !existsSync(path) && !isInPath(path, name))
  .map(([, name]) => name);
if (process.getuid?.() !== 0) fail('this installs for a whole machine: run it as root');
if (missing.length > 0) fail(`missing: apt-get install ${[...new Set(missing)].join(' ')}`);
const probe = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true'], {
  encoding: 'utf8',
});
if (probe.status !== 0) fail(`this machine allows no namespaces: ${probe.stderr}`);

const follow = fileURLToPath(new URL('./follow-document.ts', import.meta.url));
// The shell is the first process in the namespace, so it reaps orphans. File 9 keeps the network of
// the machine open for the block that fetches packages.
const shell =
  'exec 9< /proc/self/ns/net; exec unshare --mount --net --pid --fork --mount-proc --kill-child ' +
  `bash -c '"$0" "$1"; exit $?' ${quote(process.execPath)} ${quote(follow)}`;
const { status } = spawnSync('bash', ['-c', shell], { stdio: 'inherit' });
process.exitCode = status ?? 1;

function isInPath(path: string, name: string): boolean {
  const program = path.split('/').at(-1) ?? name;
  return (process.env['PATH'] ?? '')
    .split(':')
    .some((folder) => existsSync(`${folder}/${program}`));
}

function fail(message: string): never {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
