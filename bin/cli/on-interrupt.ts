import { REPEAT_MS } from '../boot/drain.ts';
import { printNote } from './output.ts';

export interface Interrupt {
  readonly signal: AbortSignal;
  /** 128 and the number of the signal that came; null: none did. */
  exitCode(): number | null;
  release(): void;
}

const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * The first signal ends the command in order, as the note says. Another ends the process, unless it
 * comes so soon that it may be a copy of the first (see drain.ts).
 */
export function onInterrupt(note: string): Interrupt {
  const controller = new AbortController();
  let exitCode: number | null = null;
  let askedAt = 0;
  const heed = (signal: 'SIGINT' | 'SIGTERM') => {
    if (exitCode !== null) {
      if (performance.now() - askedAt < REPEAT_MS) return;
      process.exit(128 + NUMBERS[signal]);
    }
    askedAt = performance.now();
    exitCode = 128 + NUMBERS[signal];
    printNote(`interrupted: ${note}; press Ctrl-C again to exit at once`);
    controller.abort();
  };
  process.on('SIGINT', heed);
  process.on('SIGTERM', heed);
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    release() {
      process.off('SIGINT', heed);
      process.off('SIGTERM', heed);
    },
  };
}
