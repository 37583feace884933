import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readlinkSync } from 'node:fs';

import { whenThisProcessEnds } from '../../chaos/cluster/guardian.ts';
import { endLacking } from '../end-lacking.ts';
import { findServer } from './patroni-settings.ts';

/*
 * A run has network and mounts of its own: the process starts itself again in new namespaces. Its
 * bridges and disks in memory are gone with its last process, however that ends.
 */

const IS_INSIDE = 'FAILOVER_OWN_NETWORK';

const PROGRAMS = [
  ['patroni', '/usr/bin/patroni'],
  ['etcd-server', '/usr/bin/etcd'],
  ['haproxy', '/usr/sbin/haproxy'],
  ['pgbouncer', '/usr/sbin/pgbouncer'],
  ['iproute2', '/usr/sbin/ip'],
  ['util-linux', '/usr/bin/unshare'],
] as const;

/** Ends what is left in the network of the run, for example after a second interrupt. */
const END_REST = `own=$(readlink /proc/$$/ns/net)
for process in /proc/[0-9]*; do
  [ "$process" = "/proc/$$" ] && continue
  [ "$(readlink "$process/ns/net")" = "$own" ] && kill -KILL "\${process#/proc/}"
done`;

/** Resolves inside the namespaces; outside, it ends this process with the run's exit code. */
export async function enterOwnNetwork(): Promise<void> {
  if (process.env[IS_INSIDE] === String(process.pid)) {
    if (networkOf('self') === networkOf(process.ppid)) throw new Error('this network has others');
    whenThisProcessEnds(END_REST, []);
    return;
  }
  const lacking: string[] = PROGRAMS.filter(([, path]) => !existsSync(path)).map(([name]) => name);
  if (findServer() === null) lacking.push('postgresql');
  if (lacking.length > 0) endLacking(`install the packages: ${lacking.join(' ')}`);
  if (spawnSync('unshare', ['--net', '--mount', 'true']).status !== 0) {
    endLacking('run this as root on Linux: it needs namespaces of its own');
  }
  // The shell keeps its process id through `exec`, so that a copied environment proves nothing.
  const child = spawn(
    'unshare',
    ['--net', '--mount', 'sh', '-c', `${IS_INSIDE}=$$ exec "$@"`, 'sh'].concat(
      process.execPath,
      ...process.execArgv,
      ...process.argv.slice(1),
    ),
    { stdio: 'inherit' },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exit(code ?? 1);
}

function networkOf(process: number | 'self'): string {
  return readlinkSync(`/proc/${process}/ns/net`);
}
