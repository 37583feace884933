import type { WireWorkflowPaused } from '../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../cli/client.ts';
import { printJson, printLine } from '../cli/output.ts';

export async function pauseWorkflow(
  workflowId: string,
  options: ClientOptions & { readonly reason?: string },
): Promise<void> {
  const client = connectClient(options);
  print(await client.pauseWorkflow(workflowId, options.reason ?? null), options);
}

export async function resumeWorkflow(workflowId: string, options: ClientOptions): Promise<void> {
  print(await connectClient(options).resumeWorkflow(workflowId), options);
}

function print(answer: WireWorkflowPaused, options: ClientOptions): void {
  if (options.output === 'json') return printJson(answer);
  printLine(describe(answer));
}

/** `checkout has been paused by token:ann since 2026-11-21T10:14:00.123Z: reason; 1200 executions are held` */
function describe({ workflow_id: id, pause }: WireWorkflowPaused): string {
  if (pause === null) return `${id} is not paused`;
  const held = `${pause.held_is_exact ? '' : 'more than '}${pause.held} executions are held`;
  const { actor_id: by, reason, paused_at: since } = pause;
  const why = reason === null ? '' : `: ${reason}`;
  const paused = `${id} has been paused by ${by} since ${since}${why}`;
  switch (pause.state) {
    case 'pausing':
      return `${paused}; ${held}, and the others will be`;
    case 'paused':
      return `${paused}; ${held}, none is left`;
    case 'resuming':
      return `${id} has been resumed by ${pause.resumed_by ?? by}; ${held} and are being released`;
  }
}
