import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { CliError, EXIT } from '../../cli/exit-code.ts';
import { printNote } from '../../cli/output.ts';
import { createProgress } from '../../cli/progress.ts';

/** Shows what happens on stderr until the execution has ended. */
export async function awaitEnd(client: SvcClient, executionId: string): Promise<void> {
  const progress = createProgress(executionId);
  try {
    const events = client.followEvents({ executionId, after: 0, onReconnect: progress.note });
    for await (const event of events) progress.show(event);
  } catch (error) {
    progress.end();
    printNote(
      `${executionId} continues; follow it with: svc execution events --follow ${executionId}`,
    );
    throw error;
  }
  progress.end();
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
