import type { MischiefAction } from './case-file.ts';
import { applyMembers, shapeItem, type PlayedItem, type Served } from './played-items.ts';
import type { ReadRequest } from './read-request.ts';

/** Members that mischief adds to an answer. */
export function addedBy(
  actions: readonly (MischiefAction | null)[],
): Readonly<Record<string, unknown>> {
  return Object.assign(
    {},
    ...actions.map((action) => (action !== null && 'add' in action ? action.add : {})),
  ) as Readonly<Record<string, unknown>>;
}

/** The answer to a request: to its claim, to its calls together, or to its one call. */
export function shapeAnswer(
  read: ReadRequest,
  given: {
    readonly results: readonly Served[];
    readonly got: readonly PlayedItem[] | null;
    readonly added: Readonly<Record<string, unknown>>;
  },
): Served {
  const { results, got, added } = given;
  const shaped = read.parts.flatMap((part, index) => {
    const { status = 500, body = {} } = results[index] ?? {};
    return part.kind === 'claim' ? [] : [{ work_item_id: part.itemId, status, body }];
  });
  if (got === null) {
    if (read.isTogether) return { status: 200, body: { results: shaped } };
    return results[0] ?? { status: 404, body: { error: 'not found' } };
  }
  const items = got.map(shapeItem);
  const body = {
    claimed: items.length > 0,
    ...(items.length > 0 && { work_item: items[0] }),
    ...(read.claim?.wantsSeveral === true && { work_items: items }),
    ...(shaped.length > 0 && { results: shaped }),
  };
  return { status: 200, body: applyMembers(body, added) };
}

export function shapeJournal(item: PlayedItem | null): Served {
  if (item === null) return { status: 404, body: { error: 'not found' } };
  const { journal } = item;
  return { status: 200, body: { entries: journal, length: journal.length, next: null } };
}
