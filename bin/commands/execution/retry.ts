import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { readObjectOption } from '../../cli/json-option.ts';
import { printJson, printLine } from '../../cli/output.ts';

export async function retryExecution(
  executionId: string,
  options: ClientOptions & { readonly statePatch?: string; readonly latest?: boolean },
): Promise<void> {
  const answer = await connectClient(options).retryExecution(executionId, {
    ...(options.statePatch !== undefined && {
      state_patch: await readObjectOption('--state-patch', options.statePatch),
    }),
    ...(options.latest === true && { revision: 'latest' }),
  });
  if (options.output === 'json') printJson(answer);
  else printLine(answer.execution_id);
}
