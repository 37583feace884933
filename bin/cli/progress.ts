import type { WireEvent } from '../../src/shared/clients/svc/wire.ts';
import { printNote, showText } from './output.ts';

export interface Progress {
  readonly show: (event: WireEvent) => void;
  readonly note: (reason: string) => void;
  readonly end: () => void;
}

/**
 * What happens to an execution, on stderr: one line that is written over on a terminal. Elsewhere
 * only what calls for somebody: the events themselves are kept, and listed by `execution events`.
 */
export function createProgress(executionId: string): Progress {
  return process.stderr.isTTY ? createLiveLine(executionId) : createHints(executionId);
}

const CLEAR_LINE = '\r\u001b[2K';
const REFRESH_MS = 100;

function createLiveLine(executionId: string): Progress {
  const startedAt = performance.now();
  let nodesDone = 0;
  let news = 'started';

  function draw(): void {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const line = showText(`${executionId}  ${seconds} s  ${nodesDone} nodes done  ${news}`);
    // A line that wraps could not be cleared again.
    process.stderr.write(CLEAR_LINE + line.slice(0, (process.stderr.columns || 80) - 1));
  }

  function leave(line: string): void {
    process.stderr.write(CLEAR_LINE);
    printNote(line);
    draw();
  }

  const timer = setInterval(draw, REFRESH_MS);
  return {
    show(event) {
      if (event.kind === 'NodeCompleted') nodesDone += 1;
      news = event.node_id === null ? event.kind : `${event.kind} ${event.node_id}`;
      const hint = hintFor(executionId, event);
      if (hint !== null) leave(hint);
    },
    note: (reason) => leave(`connecting again: ${reason}`),
    end() {
      clearInterval(timer);
      process.stderr.write(CLEAR_LINE);
    },
  };
}

function createHints(executionId: string): Progress {
  return {
    show(event) {
      const hint = hintFor(executionId, event);
      if (hint !== null) printNote(hint);
    },
    note: (reason) => printNote(`connecting again: ${reason}`),
    end: () => undefined,
  };
}

/** Waiting for a person is worth more than a line that is gone at the next event. */
function hintFor(executionId: string, event: WireEvent): string | null {
  if (event.kind !== 'ApprovalRequested') return null;
  return `${event.node_id} waits for a decision: svc execution approve ${executionId} --node ${event.node_id}`;
}
