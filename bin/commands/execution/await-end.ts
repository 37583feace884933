import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { ApiError } from '../../../src/shared/clients/svc/request.ts';
import type { WireExecution } from '../../../src/shared/clients/svc/wire.ts';
import { CliError, EXIT } from '../../cli/exit-code.ts';
import { printNote } from '../../cli/output.ts';
import { createProgress } from '../../cli/progress.ts';
import { readLastRun } from './read-last-run.ts';
import { tellingWaits, type Wait } from './tell-waits.ts';

/** Shows what happens on stderr until the execution has ended, and why it waits when it does. */
export async function awaitEnd(client: SvcClient, executionId: string): Promise<void> {
  const progress = createProgress(executionId);
  const told = {
    client,
    executionId,
    // The command for a decision comes with the event that asks for it.
    toldElsewhere: ['awaiting_approval'],
    tell: ({ text }: Wait) => progress.say(text),
  };
  try {
    await tellingWaits(told, async () => {
      const events = client.followEvents({ executionId, after: 0, onReconnect: progress.note });
      for await (const event of events) progress.show(event);
    });
  } catch (error) {
    progress.end();
    const isUnknown = error instanceof ApiError && error.status === 404;
    if (!isUnknown) {
      printNote(
        `${executionId} continues; follow it with: svc execution events --follow ${executionId}`,
      );
    }
    throw error;
  }
  progress.end();
}

/** Waits through the runs that continue the execution, and gives the last. */
export async function awaitLastRun(client: SvcClient, executionId: string): Promise<WireExecution> {
  return readLastRun(executionId, async (id) => {
    await awaitEnd(client, id);
    const ended = await client.readExecution(id);
    const next = ended.continued_as ?? null;
    if (next !== null) printNote(`${id} continues as ${next}`);
    return ended;
  });
}

/** @throws CliError with the exit code for an execution that failed or was cancelled. */
export function refuseUnlessCompleted(ended: {
  readonly execution_id: string;
  readonly status: string;
  readonly error?: string | null;
}): void {
  if (ended.status === 'completed') return;
  const { execution_id: id, status, error } = ended;
  const how = status === 'cancelled' ? 'was cancelled' : status;
  throw new CliError(`${id} ${how}${error ? `: ${error}` : ''}`, {
    exitCode: EXIT.executionFailed,
  });
}
