import { badRequest } from '../../../domain/errors.ts';
import type { RecordedEvent } from '../../../domain/execution/event.ts';
import type { ExecutionRow, ExecutionStore } from '../../../store/store.ts';
import { readEventsOf } from '../../advance/load-execution.ts';

/** Where a fork leaves its original: after an event, or where a node began. */
export type ForkAt =
  | { readonly sequence: number }
  | {
      readonly nodeId: string;
      /** Null: the last one. */
      readonly visit: number | null;
      /** `failed`: a map keeps the items that succeeded; `all`: it runs whole. */
      readonly items: 'all' | 'failed';
    };

/** The last event that the fork carries, and the node that was asked for. */
export interface ForkPoint {
  readonly sequence: number;
  readonly nodeId: string | null;
}

const PAGE_EVENTS = 500;
const NAMED_MAX = 10;

/** Throws a 400 where the history has no such point. */
export async function findForkPoint(
  executions: ExecutionStore,
  row: ExecutionRow,
  at: ForkAt,
): Promise<ForkPoint> {
  const { executionId, lastSequence } = row;
  if ('sequence' in at) {
    if (at.sequence <= lastSequence) return { sequence: at.sequence, nodeId: null };
    throw badRequest(
      `execution ${executionId} has events up to ${lastSequence}, not ${at.sequence}`,
    );
  }
  const begun = await findBeginning({ executions, row }, at);
  if (at.items === 'all') return { sequence: begun.sequence - 1, nodeId: at.nodeId };
  if (!begun.isMap) throw badRequest(`${at.nodeId} is not a map, so it has no failed items`);
  const end = await findEnd({ executions, row }, { ...begun, nodeId: at.nodeId });
  return { sequence: end ?? lastSequence, nodeId: at.nodeId };
}

interface Beginning {
  readonly sequence: number;
  readonly visit: number;
  readonly isMap: boolean;
}

interface History {
  readonly executions: ExecutionStore;
  readonly row: ExecutionRow;
}

/** The event that began a visit of the node. */
async function findBeginning(
  history: History,
  { nodeId, visit }: { readonly nodeId: string; readonly visit: number | null },
): Promise<Beginning> {
  const others = new Set<string>();
  let last: number | null = null;
  for await (const event of backwards(history, ['NodeScheduled'])) {
    if (event.kind !== 'NodeScheduled') continue;
    if (event.nodeId !== nodeId) others.add(event.nodeId);
    else if (visit === null || event.payload.visit === visit) {
      const { phase } = event.payload;
      return { sequence: event.sequence, visit: event.payload.visit, isMap: phase === 'map' };
    } else last ??= event.payload.visit;
  }
  if (last !== null) {
    throw badRequest(
      `execution ${history.row.executionId} has not begun visit ${visit} of ${nodeId}; its last visit is ${last}`,
    );
  }
  const names = [...others].slice(0, NAMED_MAX).join(', ');
  throw badRequest(
    `execution ${history.row.executionId} has not begun ${nodeId}; ` +
      (names === '' ? 'it has begun no node' : `it has begun ${names}`) +
      (await nameOriginal(history)),
  );
}

/** Nodes that an execution carries from another one began there. */
async function nameOriginal({ executions, row }: History): Promise<string> {
  const [started] = await readEventsOf(executions, { row, after: 0, limit: 1 });
  if (started?.kind !== 'WorkflowStarted') return '';
  const from = started.payload.forked_from ?? started.payload.retried_from;
  if (from === undefined) return '';
  return `. It carries the nodes before them from ${from.execution_id}: fork that one`;
}

/** The event before the one that ended a visit; null: it has not ended. */
async function findEnd(
  history: History,
  { nodeId, visit }: { readonly nodeId: string; readonly visit: number },
): Promise<number | null> {
  for await (const event of backwards(history, ['NodeCompleted', 'NodeFailed', 'NodeCancelled'])) {
    if (event.nodeId !== nodeId) continue;
    const { kind, payload } = event;
    const isOver = kind === 'NodeCompleted' || kind === 'NodeFailed' || kind === 'NodeCancelled';
    if (isOver && payload.visit === visit) return event.sequence - 1;
  }
  return null;
}

/** Events of some kinds, newest first. */
async function* backwards(
  { executions, row }: History,
  kinds: readonly RecordedEvent['kind'][],
): AsyncGenerator<RecordedEvent> {
  let before: number | null = null;
  for (;;) {
    const range = { after: 0, limit: PAGE_EVENTS, before, kinds, order: 'desc' } as const;
    const page: readonly RecordedEvent[] = await readEventsOf(executions, { row, ...range });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_EVENTS) return;
    before = last.sequence;
  }
}
