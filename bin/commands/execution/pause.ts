import type { WirePause, WirePaused } from '../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printLine } from '../../cli/output.ts';

export async function pauseExecution(
  executionId: string,
  options: ClientOptions & { readonly reason?: string },
): Promise<void> {
  const client = connectClient(options);
  print(await client.pauseExecution(executionId, options.reason ?? null), options);
}

export async function resumeExecution(executionId: string, options: ClientOptions): Promise<void> {
  print(await connectClient(options).resumeExecution(executionId), options);
}

/** `by token:ann: reason` */
export function describePause({ scope, actor_id: by, reason }: WirePause): string {
  const whose = scope === 'workflow' ? 'with its workflow by' : 'by';
  return `${whose} ${by}${reason === null ? '' : `: ${reason}`}`;
}

function print(answer: WirePaused, options: ClientOptions): void {
  if (options.output === 'json') return printJson(answer);
  const { execution_id: id, status, pauses } = answer;
  if (pauses.length > 0) printLine(`${id} is paused ${pauses.map(describePause).join(', and ')}`);
  else if (status === 'paused') printLine(`${id} is resumed, and waits for a person or an event`);
  else printLine(`${id} is ${status}`);
}
