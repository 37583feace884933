import type { WireEvent } from '../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { describeEvent, factsOf } from '../../cli/describe-event.ts';
import { printJson, printLine, printNote, printStreamed } from '../../cli/output.ts';
import { printList } from '../../cli/lists/print-list.ts';

export interface EventsOptions extends ClientOptions {
  readonly after: number;
  readonly limit?: number;
  readonly follow?: boolean;
}

/** With `--follow`, JSON output is one document a line: a stream has no end to wait for. */
export async function showEvents(executionId: string, options: EventsOptions): Promise<void> {
  const client = connectClient(options);
  const isJson = options.output === 'json';
  if (options.follow === true) {
    const events = client.followEvents({
      executionId,
      after: options.after,
      onReconnect: (reason) => printNote(`connecting again: ${reason}`),
    });
    for await (const event of events) {
      if (isJson) printStreamed(event);
      else printLine(describeEvent(event));
    }
    return;
  }
  const { after, limit = null } = options;
  const answer = await client.readEvents({ executionId, after, limit });
  if (isJson) printJson(answer);
  else printList({ member: 'events', head: HEAD, rows: answer.events.map(toRow) });
}

const HEAD = ['SEQUENCE', 'TIME', 'KIND', 'NODE', 'STEP', 'ATTEMPT', 'TOOL', 'ERROR'];

function toRow(event: WireEvent): (string | number | null)[] {
  const { tool, steps, attempt, error } = factsOf(event);
  const { sequence, created_at: time, kind, node_id: node } = event;
  return [sequence, time, kind, node, steps, attempt, tool, error];
}
