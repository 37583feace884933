import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { textIn, type EventOf } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';

/** How many starts of a key begin together, and how long the first of them waits. */
export interface BatchRule {
  readonly max: number;
  readonly waitMs: number;
}

/** An execution whose starts gather, as its events tell. */
interface Gathering {
  readonly batch?: BatchRule;
  readonly id: string;
  readonly key: string;
  readonly story: readonly EventOf[];
}

interface Closed {
  readonly leader: Gathering;
  readonly rule: BatchRule;
  readonly event: EventOf;
  readonly ids: readonly string[];
  readonly items: readonly JsonValue[];
}

const CARRIED = /in the batch of (exec_\w+)$/;

/** Every input of a closed batch is in exactly one batch, in the order of the starts, and none is lost. */
export function checkBatches(
  all: readonly Gathering[],
  { clockWasSetBack }: { readonly clockWasSetBack: boolean },
): Violation[] {
  const gathering = all.filter(({ batch }) => batch !== undefined);
  const byId = new Map(gathering.map((one) => [one.id, one]));
  const closed = gathering.flatMap(closedBy);
  return [
    ...violations('a batch has the inputs of its starts, in their order', closed, (batch) => {
      const wrong = findWrongItem(batch, byId);
      return wrong === null ? null : { about: { execution: batch.leader.id }, saw: wrong };
    }),
    ...violations('an input is in one batch, whose execution alone begins', gathering, (one) => {
      const saw = findWrongFate(one, closed);
      return saw === null ? null : { about: { execution: one.id }, saw };
    }),
    ...violations('a batch closes when it is full, or has waited', closed, (batch) => {
      const { leader, event, ids, rule } = batch;
      const waitedMs = event.created_at - (leader.story[0]?.created_at ?? 0);
      const isOver = ids.length === rule.max || clockWasSetBack || waitedMs >= rule.waitMs - 1;
      if (isOver && ids.length <= rule.max) return null;
      return { about: { execution: leader.id }, saw: `${ids.length} after ${waitedMs} ms` };
    }),
  ];
}

function closedBy(leader: Gathering): readonly Closed[] {
  return leader.story.flatMap((event) => {
    const { execution_ids: ids, input } = event.payload;
    if (event.kind !== 'BatchClosed' || leader.batch === undefined) return [];
    const items = isJsonObject(input) && Array.isArray(input['items']) ? input['items'] : [];
    const texts = Array.isArray(ids) ? ids.map(String) : [];
    return [{ leader, rule: leader.batch, event, ids: texts, items }];
  });
}

function findWrongItem(batch: Closed, byId: ReadonlyMap<string, Gathering>): string | null {
  const { leader, ids, items } = batch;
  if (ids[0] !== leader.id) return `${ids[0]} comes first`;
  if (new Set(ids).size !== items.length) return `${ids.length} starts, and ${items.length} items`;
  let before = 0;
  for (const [at, id] of ids.entries()) {
    const member = byId.get(id);
    const [started] = member?.story ?? [];
    if (member === undefined || started === undefined) return `${id} is none of its starts`;
    if (member.key !== leader.key) return `${id} has another key`;
    const place = started.place ?? 0;
    if (place < before) return `${id} started before the one before it`;
    before = place;
    if (JSON.stringify(started.payload['input']) !== JSON.stringify(items[at])) {
      return `item ${at} is not the input of ${id}`;
    }
  }
  return null;
}

/** One that carries a batch has begun for it alone; any other in a batch has ended with it, and ran nothing. */
function findWrongFate(one: Gathering, closed: readonly Closed[]): string | null {
  const { id, story } = one;
  const batches = closed.filter(({ ids }) => ids.includes(id));
  if (batches.length > 1) return `in ${batches.length} batches`;
  const [batch] = batches;
  const hasBegun = story.some(({ kind }) => kind === 'NodeScheduled');
  const end = story.at(-1);
  const [, carrier] = CARRIED.exec(textIn(end?.payload ?? {}, 'reason')) ?? [];
  if (carrier !== undefined && carrier !== batch?.leader.id) return `${carrier} has not its input`;
  if (hasBegun && batch?.leader !== one && !isRetryOfBatch(story[0]?.payload ?? {})) {
    return 'begun, and has closed no batch';
  }
  if (batch === undefined || batch.leader === one || carrier === batch.leader.id) return null;
  return `in the batch of ${batch.leader.id}, and ended otherwise`;
}

function isRetryOfBatch(started: JsonObject): boolean {
  return started['is_batch'] === true;
}
