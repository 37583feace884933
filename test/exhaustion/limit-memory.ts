import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';

const PAGE_BYTES = 4_096;

/** The user of the processes; empty: that of this one. */
type Owner = { readonly uid?: number; readonly gid?: number };

/** The processes keep the memory that they have, and get no more. Their later children inherit it. */
export function denyMemory(pids: readonly number[], owner: Owner = {}): void {
  for (const pid of pids) limit(pid, String(readAddressSpace(pid)), owner);
}

export function grantMemory(pids: readonly number[], owner: Owner = {}): void {
  for (const pid of pids) limit(pid, 'unlimited', owner);
}

/** A process and its children. */
export function familyOf(pid: number): readonly number[] {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

function limit(pid: number, bytes: string, owner: Owner): void {
  // Only the soft limit, so that it can be raised again.
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--as=${bytes}:`], {
    ...owner,
    encoding: 'utf8',
  });
  // It may have ended meanwhile.
  if (status !== 0 && fs.existsSync(`/proc/${pid}`)) throw new Error(`prlimit: ${stderr}`);
}

/** In bytes; 0: the process has ended. */
function readAddressSpace(pid: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[0]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
