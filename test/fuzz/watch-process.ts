import { readFile } from 'node:fs/promises';

/** The resources that a process has used, according to the kernel. */
export interface ProcessUse {
  readonly memoryBytes: number;
  /** CPU time of all its threads. */
  readonly cpuMs: number;
}

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4_096;

/** Null if the process is gone. */
export async function readUse(pid: number): Promise<ProcessUse | null> {
  try {
    const [stat, statm] = await Promise.all(
      ['stat', 'statm'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
    );
    // The name of the program, in parentheses, may contain spaces.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      memoryBytes: Number(statm?.split(' ')[1]) * PAGE_BYTES,
      cpuMs: (ticks * 1_000) / TICKS_PER_SECOND,
    };
  } catch {
    return null;
  }
}

/** Requests `/health` repeatedly, and records the longest time of an answer. */
export function watchHealth(url: string): { stop(): Promise<void>; longestMs(): number } {
  const over = new AbortController();
  let longest = 0;
  const asking = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now();
      try {
        await (await fetch(`${url}/health`)).arrayBuffer();
      } catch {
        // Other checks detect a dead process.
      }
      longest = Math.max(longest, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    longestMs: () => longest,
    async stop() {
      over.abort();
      await asking;
    },
  };
}
