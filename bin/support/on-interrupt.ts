import { printNote } from './output.ts';

export interface Interrupt {
  readonly signal: AbortSignal;
  /** 128 and the number of the signal that came; null: none did. */
  exitCode(): number | null;
  release(): void;
}

const NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

/** The first signal ends the command in order, as the note says, the second one the process. */
export function onInterrupt(note: string): Interrupt {
  const controller = new AbortController();
  let exitCode: number | null = null;
  const heed = (signal: 'SIGINT' | 'SIGTERM') => {
    if (exitCode !== null) process.exit(128 + NUMBERS[signal]);
    exitCode = 128 + NUMBERS[signal];
    printNote(`interrupted: ${note}; once more to leave at once`);
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
