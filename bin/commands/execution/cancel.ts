import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import type { WireBulk, WireCancelled } from '../../../src/shared/clients/svc/wire.ts';
import { parseExecutionId } from '../../../src/shared/domain/ids.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { eachId } from '../../cli/lists/each-id.ts';
import { printJson, printLine } from '../../cli/output.ts';

/**
 * Cancels an execution, or with `-` those on stdin: many in one request. One that the request did not
 * cancel gets a request of its own, whose answer says why.
 */
export function cancelExecutions(executionId: string, options: ClientOptions): Promise<void> {
  const client = connectClient(options);
  const tell = (answer: WireCancelled) => {
    if (options.output === 'json') printJson(answer);
    else printLine(`${answer.execution_id} ${tellEnd(answer)}`);
  };
  return eachId(
    executionId,
    async (id) => tell(await client.cancelExecution(id)),
    async (ids) => {
      const done = await cancelTogether(client, ids);
      const left: string[] = [];
      for (const id of ids) {
        const answer = done.get(parseExecutionId(id) ?? '');
        if (answer === undefined) left.push(id);
        else tell(answer);
      }
      return left;
    },
  );
}

/** The answers about those that are known to be cancelled, by their ids. */
async function cancelTogether(
  client: SvcClient,
  typed: readonly string[],
): Promise<ReadonlyMap<string, WireCancelled>> {
  const done = new Map<string, WireCancelled>();
  const ids = typed.map(parseExecutionId).filter((id) => id !== null);
  if (ids.length === 0) return done;
  const request = { action: 'cancel', filter: { q: `id in (${ids.join(', ')})` } };
  let cursor: string | null = null;
  try {
    do {
      const page: WireBulk = await client.bulkExecutions({ ...request, cursor });
      for (const { execution_id, outcome, ending } of page.results) {
        if (outcome !== 'done') continue;
        done.set(execution_id, { execution_id, status: 'cancelled', ...(ending && { ending }) });
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
  } catch {
    // The error may be about one of them, or about such requests. A cancel may be repeated, so each of the
    // others gets a request of its own, which fails too where the error is about all.
  }
  return done;
}

function tellEnd({ status, ending }: WireCancelled): string {
  if (ending === undefined) return `is ${status}`;
  return `ends as ${ending.outcome} when its undos and finalizers are done`;
}
