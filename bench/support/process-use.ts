import { readdirSync, readFileSync } from 'node:fs';

/*
 * Reads the resource use of processes from /proc, which exists on Linux alone. On other systems
 * every result is null.
 */

/** The unit of times in /proc, on every architecture that Node supports. */
const MICROS_PER_TICK = 10_000;
const MIB = 1024;

/** Microseconds of user and system time. `withEnded` adds children that have ended. */
export function cpuMicrosOf(pid: number | 'self', withEnded = false): number | null {
  const fields = readStat(pid);
  if (fields === null) return null;
  const ticks = fields.slice(11, withEnded ? 15 : 13).map(Number);
  return ticks.reduce((sum, value) => sum + value, 0) * MICROS_PER_TICK;
}

/** Microseconds of a process, its children, and its children that have ended. */
export function familyCpuMicros(pid: number): number | null {
  const own = cpuMicrosOf(pid, true);
  if (own === null) return null;
  return childrenOf(pid).reduce((sum, child) => sum + (cpuMicrosOf(child) ?? 0), own);
}

export function parentOf(pid: number): number | null {
  const fields = readStat(pid);
  return fields === null ? null : Number(fields[1]);
}

/** The peak memory of a process, MiB. */
export function peakRssMiB(pid: number | 'self'): number | null {
  const line = read(`/proc/${pid}/status`)?.match(/^VmHWM:\s+(\d+) kB$/m);
  return line?.[1] === undefined ? null : Number(line[1]) / MIB;
}

/** The memory of a process now, MiB. */
export function rssMiB(pid: number): number | null {
  const line = read(`/proc/${pid}/status`)?.match(/^VmRSS:\s+(\d+) kB$/m);
  return line?.[1] === undefined ? null : Number(line[1]) / MIB;
}

/** The memory of a process, MiB; it counts its share of each shared page. */
export function pssMiB(pid: number): number | null {
  const line = read(`/proc/${pid}/smaps_rollup`)?.match(/^Pss:\s+(\d+) kB$/m);
  return line?.[1] === undefined ? null : Number(line[1]) / MIB;
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid);
}

/** The fields after the name, because the name may contain spaces. The first is the state. */
function readStat(pid: number | 'self'): readonly string[] | null {
  const text = read(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
