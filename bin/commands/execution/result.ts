import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import type { WireResult } from '../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError } from '../../cli/exit-code.ts';
import { printJson, printLine } from '../../cli/output.ts';
import { awaitEnd, refuseUnlessCompleted } from './await-end.ts';
import { readLastRun } from './read-last-run.ts';

export interface ResultOptions extends ClientOptions {
  readonly wait?: boolean;
}

/** Prints the output alone, so that a pipe gets it; as data, the whole answer. */
export async function showResult(executionId: string, options: ResultOptions): Promise<void> {
  const client = connectClient(options);
  const result = await readLastRun(executionId, (id) => readOne(client, id, options));
  const { error } = result;
  if (options.output === 'json') printJson(result);
  else if (error === null) printLine(JSON.stringify(result.output, null, 2));
  refuseUnlessCompleted({ ...result, error: error?.message ?? null });
}

async function readOne(client: SvcClient, id: string, options: ResultOptions): Promise<WireResult> {
  if (options.wait === true) await awaitEnd(client, id);
  const answer = await client.readResult(id);
  if ('error' in answer) return answer;
  throw new CliError(
    `${id} has not ended: it is ${answer.status}; wait for its end with --wait, or see why it ` +
      `waits with: svc execution explain ${id}`,
  );
}
