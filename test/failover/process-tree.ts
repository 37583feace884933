import * as fs from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
}

/** The process and all that it has started, directly or not; none if it has ended. */
export function processesOf(first: number): readonly RunningProcess[] {
  const found = fs.readdirSync('/proc').flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? readIfThere(`/proc/${entry}/stat`) : null;
    const [, program = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/.exec(stat ?? '') ?? [];
    return program === '' ? [] : [{ pid: Number(entry), parent: Number(parent), program }];
  });
  const own = new Set([first]);
  // Children may have lower numbers than their parents, once numbers are used again.
  for (let before = -1; before !== own.size;) {
    before = own.size;
    for (const { pid, parent } of found) if (own.has(parent)) own.add(pid);
  }
  return found.filter(({ pid }) => own.has(pid));
}

/** Also true once it has ended: nothing is left to trace. */
export function isTracedBy(pid: number, tracer: number | undefined): boolean {
  const status = readIfThere(`/proc/${pid}/status`);
  return status === null || /^TracerPid:\s+(\d+)$/m.exec(status)?.[1] === String(tracer);
}

function readIfThere(path: string): string | null {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
