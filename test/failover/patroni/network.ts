import { spawnSync } from 'node:child_process';

/*
 * Each node is a network namespace with three links: one to the other nodes, and one to each half of
 * the clients. A bridge per link connects them. A cut link passes nothing, in both directions.
 */

export const LINKS = ['db', 'a', 'b'] as const;
export type Link = (typeof LINKS)[number];

export function addressOf(number: number, link: Link): string {
  return `10.231.${LINKS.indexOf(link) + 1}.${number}`;
}

/** A prefix of commands that run in the namespace of a node. */
export function inside(number: number): readonly string[] {
  return ['nsenter', `--net=/run/netns/${namespaceOf(number)}`];
}

/** The caller has namespaces of its own for network and mounts. */
export function createNetwork(nodes: number): void {
  // Names of namespaces are files, which nobody outside should see.
  run('mount', ['-t', 'tmpfs', 'tmpfs', '/run']);
  run('ip', ['link', 'set', 'dev', 'lo', 'up']);
  for (const link of LINKS) {
    run('ip', ['link', 'add', 'name', link, 'type', 'bridge']);
    run('ip', ['address', 'add', `${addressOf(254, link)}/24`, 'dev', link]);
    run('ip', ['link', 'set', 'dev', link, 'up']);
  }
  for (let number = 1; number <= nodes; number++) {
    const namespace = namespaceOf(number);
    run('ip', ['netns', 'add', namespace]);
    run('ip', ['-n', namespace, 'link', 'set', 'dev', 'lo', 'up']);
    for (const link of LINKS) {
      const end = endOf(number, link);
      run('ip', [
        'link',
        'add',
        'name',
        end,
        'type',
        'veth',
        'peer',
        'name',
        link,
        'netns',
        namespace,
      ]);
      run('ip', ['link', 'set', 'dev', end, 'master', link, 'up']);
      run('ip', ['-n', namespace, 'address', 'add', `${addressOf(number, link)}/24`, 'dev', link]);
      run('ip', ['-n', namespace, 'link', 'set', 'dev', link, 'up']);
    }
  }
}

/** The other end keeps its carrier: only the bridge knows. */
export function cut(number: number, links: readonly Link[]): void {
  for (const link of links)
    run('bridge', ['link', 'set', 'dev', endOf(number, link), 'state', '0']);
}

export function mend(number: number): void {
  for (const link of LINKS)
    run('bridge', ['link', 'set', 'dev', endOf(number, link), 'state', '3']);
}

function namespaceOf(number: number): string {
  return `node-${number}`;
}

function endOf(number: number, link: Link): string {
  return `${link}-${number}`;
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
