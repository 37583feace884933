import { call, type ReplyOf } from '../../api/client.ts';
import {
  COMPARED_KINDS,
  compareExecutions,
  type ComparedExecution,
  type Comparison,
} from '../../../../src/shared/clients/svc/compare-executions.ts';
import type { WireEvent } from '../../../../src/shared/clients/svc/wire.ts';

export type Execution = ReplyOf<'read-execution'>;

/** What the page shows of two executions. */
export interface FoundComparison {
  readonly comparison: Comparison;
  readonly one: Execution;
  readonly other: Execution;
  /** Only so many events of each were read. */
  readonly eventsMax: number | null;
  /** Keys of the states that are too large to be compared. */
  readonly omittedKeys: readonly string[];
}

const PAGE_EVENTS = 200;
const EVENTS_MAX = 10_000;
/** Large events that are read in full; each may have a quarter of a megabyte. */
const LARGE_MAX = 100;

/**
 * Reads the beginnings and ends of visits, without large members, and then those pairs of large ones
 * that decide whether two visits are alike, and the errors. All readings are bounded.
 */
export async function readComparison(
  ids: readonly [one: string, other: string],
  signal: AbortSignal,
): Promise<FoundComparison> {
  const [one, other] = await Promise.all([readPart(ids[0], signal), readPart(ids[1], signal)]);
  const [first, second] = await readLarge([one.part, other.part], signal);
  const omittedKeys = [...new Set([...one.omittedKeys, ...other.omittedKeys])];
  const comparison = compareExecutions(first, second);
  return {
    comparison: {
      ...comparison,
      state: comparison.state.filter(({ key }) => !omittedKeys.includes(key)),
    },
    one: one.execution,
    other: other.execution,
    eventsMax: one.isWhole && other.isWhole ? null : EVENTS_MAX,
    omittedKeys,
  };
}

interface ReadPart {
  readonly execution: Execution;
  readonly part: ComparedExecution;
  readonly isWhole: boolean;
  readonly omittedKeys: readonly string[];
}

async function readPart(id: string, signal: AbortSignal): Promise<ReadPart> {
  const path = { id };
  const [execution, state] = await Promise.all([
    call('read-execution', { path, query: { view: 'head' }, signal }),
    call('read-state', { path, signal }),
  ]);
  const events: WireEvent[] = [];
  for (;;) {
    const page = await call('read-events', {
      path,
      query: {
        after: events.at(-1)?.sequence ?? 0,
        limit: PAGE_EVENTS,
        types: COMPARED_KINDS.join(','),
        payload: 'brief',
      },
      signal,
    });
    events.push(...(page.events as readonly WireEvent[]));
    const isWhole = page.events.length < PAGE_EVENTS;
    if (!isWhole && events.length < EVENTS_MAX) continue;
    return {
      execution,
      part: {
        execution: { ...execution, state: state.state } as ComparedExecution['execution'],
        events,
      },
      isWhole,
      omittedKeys: state.omitted.map(({ key }) => key),
    };
  }
}

type Parts = readonly [ComparedExecution, ComparedExecution];

/** Puts events that are large in both executions, and failures, in the place of their brief forms. */
async function readLarge([one, other]: Parts, signal: AbortSignal): Promise<Parts> {
  const others = new Map(other.events.map((event) => [placeOf(event), event]));
  const pairs = one.events
    .filter(isLarge)
    .map((event) => [event, others.get(placeOf(event))] as const)
    .filter((pair): pair is readonly [WireEvent, WireEvent] => isLarge(pair[1]));
  const errorsOf = (part: ComparedExecution) =>
    part.events.filter((event) => event.kind === 'NodeFailed' && isLarge(event));
  const deciding = [
    ...pairs.flatMap(([mine, its]) => [[one, mine] as const, [other, its] as const]),
    ...[one, other].flatMap((part) => errorsOf(part).map((event) => [part, event] as const)),
  ];
  const large = new Map<string, WireEvent>();
  for (const [{ execution }, { sequence }] of deciding.slice(0, LARGE_MAX)) {
    const path = { id: execution.execution_id };
    const query = { after: sequence - 1, limit: 1 };
    const [event] = (await call('read-events', { path, query, signal })).events;
    if (event) large.set(`${execution.execution_id} ${sequence}`, event as WireEvent);
  }
  const fill = (part: ComparedExecution): ComparedExecution => ({
    ...part,
    events: part.events.map(
      (event) => large.get(`${part.execution.execution_id} ${event.sequence}`) ?? event,
    ),
  });
  return [fill(one), fill(other)];
}

/** Which event of one execution is compared with which of the other. */
function placeOf({ kind, node_id: node, payload }: WireEvent): string {
  return `${kind} ${node} ${(payload as { readonly visit?: number }).visit ?? 0}`;
}

function isLarge(event: WireEvent | undefined): boolean {
  const member = event && DECIDING[event.kind];
  const payload = event?.payload as { readonly retryable?: boolean };
  return member !== undefined && payload.retryable !== true && !Object.hasOwn(payload, member);
}

const DECIDING: Readonly<Record<string, string>> = {
  WorkflowStarted: 'input',
  NodeCompleted: 'output',
  NodeFailed: 'error',
};
