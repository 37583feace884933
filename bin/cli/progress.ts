import type { WireEvent } from '../../src/shared/clients/svc/wire.ts';
import { createLiveLine } from './live-line.ts';
import { printNote, showText } from './output.ts';

export interface Progress {
  readonly show: (event: WireEvent) => void;
  readonly note: (reason: string) => void;
  /** A line that stays. */
  readonly say: (text: string) => void;
  readonly end: () => void;
}

/**
 * Shows the progress of an execution on stderr: one line that is overwritten on a terminal.
 * Elsewhere it shows only events that need a person; `execution events` lists all events.
 */
export function createProgress(executionId: string): Progress {
  return process.stderr.isTTY ? createLiveHints(executionId) : createHints(executionId);
}

function createLiveHints(executionId: string): Progress {
  let nodesDone = 0;
  let news = 'started';
  const line = createLiveLine((seconds) =>
    showText(`${executionId}  ${seconds} s  ${nodesDone} nodes done  ${news}`),
  );

  function leave(note: string): void {
    line.clear();
    printNote(note);
    line.draw();
  }

  return {
    show(event) {
      if (event.kind === 'NodeCompleted') nodesDone += 1;
      news = event.node_id === null ? event.kind : `${event.kind} ${event.node_id}`;
      const hint = hintFor(executionId, event);
      if (hint !== null) leave(hint);
    },
    note: (reason) => leave(`connecting again: ${reason}`),
    say: leave,
    end: () => line.end(),
  };
}

function createHints(executionId: string): Progress {
  return {
    show(event) {
      const hint = hintFor(executionId, event);
      if (hint !== null) printNote(hint);
    },
    note: (reason) => printNote(`connecting again: ${reason}`),
    say: printNote,
    end: () => undefined,
  };
}

/** Waiting for a person is worth more than a line that is gone at the next event. */
function hintFor(executionId: string, event: WireEvent): string | null {
  if (event.kind !== 'ApprovalRequested') return null;
  return `${event.node_id} waits for a decision: svc execution approve ${executionId} --node ${event.node_id}`;
}
