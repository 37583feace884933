import { ApiError } from '../../src/shared/clients/svc/request.ts';
import type { WireAction, WireDeadLetters } from '../../src/shared/clients/svc/wire.ts';
import type { JsonValue } from '../../src/shared/domain/json.ts';
import { asTyped } from '../cli/as-typed.ts';
import { connectClient, type ClientOptions } from '../cli/client.ts';
import { nameVisit } from '../cli/formats/name-visit.ts';
import { printFields, printJson, printLine, printNote } from '../cli/output.ts';
import { printPages, type PageOptions } from '../cli/lists/pages.ts';
import { printTable } from '../cli/print-table.ts';

export type LetterOptions = ClientOptions & {
  readonly workflow?: string;
  readonly node?: string;
  readonly before?: string;
  readonly limit?: number;
  readonly cursor?: string;
};

export async function listDeadLetters(options: LetterOptions & PageOptions): Promise<void> {
  const client = connectClient(options);
  await printPages(options, {
    read: (page) => client.listDeadLetters({ ...filterOf(options), ...page }),
    member: 'work_items',
    print,
  });
}

export async function showDeadLetter(workItemId: string, options: ClientOptions): Promise<void> {
  const letter = await connectClient(options).readDeadLetter(workItemId);
  if (options.output === 'json') return printJson(letter);
  const { id, execution_id: executionId, actions, undoes = null } = letter;
  printFields({
    'work item': id,
    execution: `${executionId} ${letter.execution_status}`,
    workflow: letter.workflow_id,
    node: nameVisit(letter),
    tool: letter.tool,
    since: letter.dead_lettered_at,
    attempts: `${letter.attempt + 1} of ${letter.max_attempts}`,
    error: letter.error,
    handled: letter.handled === true ? 'yes: the execution continued' : 'no',
    input: valueOf(letter, 'input'),
    undoes: undoes && nameVisit(undoes),
    ...(undoes !== null && { [`output of ${undoes.node_id}`]: valueOf(undoes, 'output') }),
    requeue: tellAction(actions.requeue, `svc work-item requeue ${id}`),
    'give up': tellAction(actions.give_up, `svc execution cancel ${executionId}`),
  });
  if (letter.failures.length === 0) return;
  printLine('');
  printTable({
    head: ['ATTEMPT', 'FAILED', 'WORKER', 'ERROR'],
    rows: letter.failures.map((failure) => [
      failure.attempt + 1,
      failure.failed_at,
      failure.worker_id,
      failure.error,
    ]),
  });
}

/** A null is a value, too. */
function valueOf<Name extends 'input' | 'output'>(
  of: { readonly omitted?: readonly string[] } & { readonly [Key in Name]?: JsonValue },
  name: Name,
): string {
  if (of.omitted?.includes(name) === true) return 'hidden by a data policy';
  const value = of[name];
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function tellAction({ reason }: WireAction, command: string): string {
  return reason === null ? asTyped(command) : `no: ${reason}`;
}

export async function requeueWorkItem(workItemId: string, options: ClientOptions): Promise<void> {
  const answer = await connectClient(options).requeueWorkItem(workItemId);
  if (options.output === 'json') printJson(answer);
  else printLine(`${answer.work_item_id} is back on its queue`);
}

/** Acts only with `--yes`. It leaves items that no node waits for any more, and reports them. */
export async function requeueAll(
  options: LetterOptions & { readonly yes?: boolean },
): Promise<void> {
  const client = connectClient(options);
  const refused: { readonly work_item_id: string; readonly error: string }[] = [];
  let found = 0;
  let done = 0;
  let cursor: string | null = null;
  do {
    const limit = Math.min(PAGE, (options.limit ?? Infinity) - found);
    if (limit <= 0) break;
    const page: WireDeadLetters = await client.listDeadLetters({
      ...filterOf(options),
      limit,
      cursor,
    });
    const isShown = options.yes !== true && options.output !== 'json';
    if (isShown && page.work_items.length > 0) print(page);
    for (const { id } of page.work_items) {
      found += 1;
      if (options.yes !== true) continue;
      const error = await requeueOne(client, id);
      if (error === null) done += 1;
      else refused.push({ work_item_id: id, error });
    }
    cursor = page.next_cursor ?? null;
    if (cursor !== null && options.yes === true) {
      printNote(`${done} requeued, ${refused.length} refused so far`);
    }
  } while (cursor !== null);
  if (options.output === 'json') {
    return printJson(options.yes === true ? { done, refused } : { preview: true, total: found });
  }
  if (options.yes !== true) {
    return printNote(`${found} dead letters would be requeued: add --yes to do it`);
  }
  if (refused.length > 0) {
    printTable({
      head: ['WORK ITEM', 'REFUSED BECAUSE'],
      rows: refused.map(({ work_item_id: id, error }) => [id, error]),
    });
  }
  printLine(`${done} requeued, ${refused.length} refused`);
}

const PAGE = 100;

/** Why it was refused; null: it is on its queue again. */
async function requeueOne(
  client: ReturnType<typeof connectClient>,
  workItemId: string,
): Promise<string | null> {
  try {
    await client.requeueWorkItem(workItemId);
    return null;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) {
      return error.message;
    }
    throw error;
  }
}

function filterOf({ workflow, node, before }: LetterOptions) {
  return { workflow_id: workflow ?? null, node_id: node ?? null, before: before ?? null };
}

function print({ work_items: items }: WireDeadLetters): void {
  printTable({
    head: ['WORK ITEM', 'EXECUTION', 'NODE', 'TOOL', 'ATTEMPTS', 'SINCE', 'HANDLED', 'ERROR'],
    rows: items.map((item) => [
      item.id,
      item.execution_id,
      item.node_id,
      item.tool,
      item.attempt + 1,
      item.dead_lettered_at,
      item.handled === undefined ? null : item.handled ? 'yes' : 'no',
      item.error,
    ]),
  });
  for (const item of items) printUndoing(item);
}

const SHOWN_MAX = 200;

/** For the person who repairs it: what is left as it was, and the two ways to continue. */
function printUndoing(item: WireDeadLetters['work_items'][number]): void {
  const { undoes = null } = item;
  if (undoes === null) return;
  const { node_id: node, input = null, output = null } = undoes;
  printNote(
    `${item.node_id} is to undo ${nameVisit(undoes)}: input ${tell(input)}, output of ${node} ${tell(output)}; ` +
      `after the repair: svc work-item requeue ${item.id}; ` +
      `to give it up: svc execution cancel ${item.execution_id}`,
  );
}

function tell(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX - 1)}…`;
}
