import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * npm run test:install
 *
 * Follows docs/get-started/install.md, "On one machine", block by block as it stands there, and looks at what came of
 * it: see docs/contribute/install.md. The exit code is 0 only if every block and every check did what it
 * should.
 *
 * The blocks want root, fixed ports, and files in /etc and /opt. So they run in namespaces of their own:
 * the machine keeps its files, its ports and its processes, and all of it is gone at the end.
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
// The shell is the first process in there: it takes leave of those whose parents have gone. The
// network of the machine stays open to it as file 9, for the block that fetches packages.
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
