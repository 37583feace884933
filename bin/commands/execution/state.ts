import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';

export interface StateOptions extends ClientOptions {
  readonly at?: string;
  readonly diff?: string;
  readonly blame?: boolean;
}

/** Prints the state of an execution as it was, what changed it, or what set it. */
export async function showState(executionId: string, options: StateOptions): Promise<void> {
  const { at = null, diff, blame } = options;
  const client = connectClient(options);
  const isJson = options.output === 'json';
  if (diff !== undefined) {
    const difference = await client.compareState(executionId, { from: diff, to: at });
    if (isJson) return printJson(difference);
    printTable({
      head: ['CHANGE', 'PATH', 'BEFORE', 'AFTER'],
      rows: difference.changes.map((change) => [
        change.op,
        change.path,
        change.op === 'add' ? null : shown(change, change.before),
        change.op === 'remove' ? null : shown(change, change.after),
      ]),
    });
    if (difference.truncated) printNote('there are more changes');
    return;
  }
  if (blame === true) {
    const blamed = await client.blameState(executionId, at);
    if (isJson) return printJson(blamed);
    return printTable({
      head: ['KEY', 'SEQUENCE', 'TIME', 'KIND', 'NODE', 'SET BY', 'CAUSE'],
      rows: blamed.keys.map((one) => [
        one.key,
        one.sequence,
        one.at,
        one.kind,
        one.node_id,
        one.cause?.user_id ?? one.cause?.actor_id ?? one.actor_id,
        one.cause && `${one.cause.sequence} ${one.cause.kind}`,
      ]),
    });
  }
  const found = await client.readState(executionId, at);
  printJson(isJson ? found : found.state);
  if (found.omitted_total > 0) {
    printNote(`left out, too large: ${found.omitted.map(({ key }) => key).join(', ')}`);
  }
}

function shown({ omitted }: { readonly omitted: boolean }, value: JsonValue): string {
  return omitted ? 'too large to show' : JSON.stringify(value);
}
