import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import type { Dump, EventOf } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';
import { byExecution } from './check-histories.ts';

/**
 * An execution that fails or is cancelled undoes exactly the visits that have completed and have an
 * undo, each once, in reverse order of completion. The workflows of histories undo at both ends.
 */
export function checkUndos(dump: Dump): Violation[] {
  const stories = byExecution(dump);
  const undos = [...stories].map(([id, story]) => [id, readUndos(stories, story)] as const);
  return [
    ...violations(
      'undos run in reverse order of completion, each once',
      undos,
      ([id, { outOfOrder }]) =>
        outOfOrder === null ? null : { about: { execution: id }, saw: outOfOrder },
    ),
    ...violations(
      'children end before anything of their parent is undone',
      undos,
      ([id, { tooEarly }]) =>
        tooEarly === null ? null : { about: { execution: id }, saw: tooEarly },
    ),
    ...violations('an end leaves no completed visit without its undo', undos, ([id, of]) => {
      const { pending, outcome } = of;
      if (outcome !== 'failed' && outcome !== 'cancelled') return null;
      return pending.length === 0
        ? null
        : { about: { execution: id }, saw: `${outcome} without an undo of ${pending.join(', ')}` };
    }),
    ...violations('the end tells how many visits are undone', undos, ([id, { undone, told }]) => {
      return told === null || told === undone
        ? null
        : { about: { execution: id }, saw: `${undone} undone, and ${told} told` };
    }),
  ];
}

interface Undos {
  /** Completed visits that are not undone, in order of completion. */
  readonly pending: readonly string[];
  readonly undone: number;
  /** How many the end says are undone; null: it has not ended so. */
  readonly told: number | null;
  readonly outcome: string | null;
  readonly outOfOrder: string | null;
  /** An undo that began while children ran. */
  readonly tooEarly: string | null;
  /** Children whose ends it has not learned, also those of the runs before. */
  readonly running: ReadonlySet<string>;
}

const ENDS_OF_VISITS = new Set([
  'NodeCancelled',
  'NodeCompleted',
  'NodeContinuedAsNew',
  'NodeFailed',
]);

type Stories = ReadonlyMap<string, readonly EventOf[]>;

function readUndos(stories: Stories, story: readonly EventOf[]): Undos {
  const hasUndo = new Set<string>();
  const undoOf = new Map<string, string>();
  let pending: string[] = [];
  let undone = 0;
  let told: number | null = null;
  let outcome: string | null = null;
  let outOfOrder: string | null = null;
  let tooEarly: string | null = null;
  const before = stories.get(textOf(story[0]?.payload['continued_from']) ?? '');
  const running = new Set(before === undefined ? [] : readUndos(stories, before).running);
  for (const event of story) {
    const { kind, payload } = event;
    const visit = keyOf(event);
    if (kind === 'WorkflowStarted') pending = carriedUndos(payload['carried']);
    else if (kind === 'NodeScheduled') {
      if (typeof payload['undo'] === 'string') hasUndo.add(visit);
      const of = placeOf(payload['undoes']);
      if (of === null) continue;
      undoOf.set(visit, of);
      if (running.size > 0)
        tooEarly ??= `${visit} began before the end of ${[...running].join(', ')}`;
      if (pending.at(-1) !== of) outOfOrder ??= `${visit} undoes ${of}, of ${pending.join(', ')}`;
      pending = pending.filter((one) => one !== of);
    } else if (kind === 'ChildWorkflowStarted') running.add(childOf(event));
    else if (kind === 'ChildWorkflowCompleted' || kind === 'ChildWorkflowFailed') {
      running.delete(childOf(event));
    } else if (kind === 'NodeCompleted') {
      if (hasUndo.has(visit)) pending.push(visit);
      if (undoOf.has(visit)) undone += 1;
    } else if (kind === 'WorkflowEnding') outcome = textOf(payload['outcome']);
    else if (kind === 'WorkflowFailed' || kind === 'WorkflowCancelled') {
      outcome ??= kind === 'WorkflowFailed' ? 'failed' : 'cancelled';
      const { undo = null } = payload;
      told = isJsonObject(undo) ? Number(undo['undone']) : 0;
    }
    // Undos of steps that complete later do not wait for children given up while nothing was to undo.
    if (ENDS_OF_VISITS.has(kind) && pending.length === 0) {
      for (const child of running) if (child.startsWith(`${visit}/`)) running.delete(child);
    }
  }
  const isOver = told !== null;
  return { pending: isOver ? pending : [], undone, told, outcome, outOfOrder, tooEarly, running };
}

function carriedUndos(carried: JsonValue | undefined): string[] {
  const undo = isJsonObject(carried) ? (carried['undo'] ?? null) : null;
  return Array.isArray(undo) ? undo.flatMap((one: JsonValue) => placeOf(one) ?? []) : [];
}

function placeOf(of: JsonValue | undefined): string | null {
  return isJsonObject(of)
    ? `${JSON.stringify(of['node_id'])}#${JSON.stringify(of['visit'])}`
    : null;
}

function keyOf({ node_id, payload }: EventOf): string {
  return placeOf({ node_id, visit: payload['visit'] ?? null }) ?? '';
}

/** A child by the visit that started it, as a later run of it has another id. */
function childOf(event: EventOf): string {
  return `${keyOf(event)}/${textOf(event.payload['step']) ?? ''}`;
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
