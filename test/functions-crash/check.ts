import { isDeepStrictEqual } from 'node:util';

import type { ExecutionEvent } from '../support/wire.ts';
import type { Result } from './effect.ts';
import type { Course } from './drive.ts';
import { visitsOf, walk, type Operation, type Plan, type Program } from './program.ts';
import { answerOf, type Effect } from './receiver.ts';

/* Checks an execution that has ended. All of this must hold, despite all kills. */

export interface Entry {
  readonly identity: string;
  readonly kind: string;
  readonly position: number;
  readonly output?: Result;
}

/** Facts of one visit of a function. */
export interface Facts {
  readonly tag: string;
  readonly program: Program;
  /** `continued`: another visit followed. */
  readonly status: string;
  /** The output of the function; null unless it completed. */
  readonly output: unknown;
  readonly events: readonly ExecutionEvent[];
  readonly effects: readonly Effect[];
  /** The executions that sent calls with its tag. */
  readonly executions: readonly string[];
  /** The results of its children, by operation. */
  readonly children: ReadonlyMap<string, unknown>;
}

/** The problems of the end. */
export function checkEnd(
  plan: Pick<Plan, 'tag' | 'program' | 'cancel'>,
  course: Course,
): readonly string[] {
  const { end, isToldCancelled } = course;
  if (end === null) return ['it has not ended'];
  const last = visitsOf(plan).at(-1)?.program.at(-1);
  const natural = last?.op === 'fail' ? 'failed' : 'completed';
  const allowed = plan.cancel === null ? [natural] : [natural, 'cancelled'];
  const problems = allowed.includes(end.status)
    ? []
    : [`it ended ${end.status}, not ${allowed.join(' or ')}: ${JSON.stringify(end.error)}`];
  if (isToldCancelled && end.status === 'completed')
    problems.push('it was cancelled and completed');
  return problems;
}

/**
 * An acknowledged cancel ends the execution as cancelled, unless a failure has started rollbacks
 * before.
 */
export function checkCancelled(
  { end, isToldCancelled }: Pick<Course, 'end' | 'isToldCancelled'>,
  events: readonly ExecutionEvent[],
): readonly string[] {
  if (!isToldCancelled || end === null || end.status === 'cancelled') return [];
  const isTooLate = events.some(
    ({ kind, payload }) => kind === 'WorkflowEnding' && payload['outcome'] !== 'cancelled',
  );
  return isTooLate ? [] : [`it was cancelled, and ended ${end.status} for no other reason`];
}

/** The problems of the journal, the effects and the output. */
export function checkFacts(facts: Facts): readonly string[] {
  const journal = readJournal(facts.events);
  const problems = [
    ...checkJournal(journal),
    ...checkEffects(facts),
    ...checkRecords(facts, journal),
    ...checkRollbacks(facts, journal),
    ...(facts.status === 'completed' ? checkOutput(facts, journal) : []),
  ];
  if (problems.length === 0) return [];
  const kinds = facts.events.slice(-EVENTS_TOLD).map(({ kind }) => kind);
  return [...problems, `its last events are ${kinds.join(', ')}`];
}

const EVENTS_TOLD = 20;

export function readJournal(events: readonly ExecutionEvent[]): readonly Entry[] {
  return events
    .filter(({ kind }) => kind === 'StepRecorded')
    .flatMap(({ payload }) => {
      const { position, entries } = payload as unknown as {
        readonly position: number;
        readonly entries: readonly Omit<Entry, 'position'>[];
      };
      return entries.map((entry, index) => ({ ...entry, position: position + index }));
    });
}

function checkJournal(journal: readonly Entry[]): readonly string[] {
  const positions = journal.map(({ position }) => position);
  const isGapless = positions.every((position, index) => position === index);
  const identities = journal.map(({ identity }) => identity);
  const twice = identities.filter((identity, index) => identities.indexOf(identity) !== index);
  return [
    ...(isGapless ? [] : [`the positions of its journal are ${positions.join()}`]),
    ...twice.map((identity) => `${identity} is recorded twice`),
  ];
}

function checkEffects({ effects, executions, program, status }: Facts): readonly string[] {
  const once = effects.flatMap(({ id, phase, keys, seen }) => [
    ...(keys.size === 1 ? [] : [`${phase} ${id} came with ${keys.size} keys`]),
    ...(seen.size === 1 ? [] : [`${phase} ${id} saw ${seen.size} different pasts`]),
  ]);
  const keys = effects.flatMap((effect) => [...effect.keys.keys()]);
  const done = new Set(effects.filter(({ place }) => place !== null).map(nameOf));
  const steps = [...walk(program)].filter(({ op }) => op === 'step');
  const missing = status === 'cancelled' ? [] : steps.filter(({ id }) => !done.has(`do ${id}`));
  return [
    ...once,
    ...(new Set(keys).size === keys.length ? [] : ['two operations have the same key']),
    ...(executions.length > 1
      ? [`it is ${executions.length} executions: ${executions.join()}`]
      : []),
    ...missing.map(({ id }) => `${id} has no effect`),
  ];
}

/** Every recorded step has had its effect. */
function checkRecords({ effects }: Facts, journal: readonly Entry[]): readonly string[] {
  const done = new Set(effects.filter(({ place }) => place !== null).map(nameOf));
  return journal
    .filter(({ kind, identity }) => kind === 'step' && idOf(identity).startsWith('step-'))
    .filter(({ identity }) => !done.has(`do ${idOf(identity)}`))
    .map(({ identity }) => `${identity} is recorded and has no effect`);
}

function checkRollbacks(
  { effects, events, program, status }: Facts,
  journal: readonly Entry[],
): readonly string[] {
  const undone = effects
    .filter(({ phase, place }) => phase === 'undo' && place !== null)
    .toSorted((one, other) => (one.place ?? 0) - (other.place ?? 0))
    .map(({ id }) => id);
  // The function has completed, even if a cancel came before the end of the execution.
  const isDone = OVER.has(status) || events.some(({ kind }) => kind === 'NodeCompleted');
  if (isDone) return undone.map((id) => `${id} was undone`);
  const registered = journal
    .filter(({ kind }) => kind === 'on_rollback')
    .map(({ identity }) => idOf(identity))
    .toReversed();
  const recorded = journal
    .filter(({ kind }) => kind === 'rollback')
    .map(({ identity }) => idOf(identity));
  const done = new Set(
    effects.filter(({ phase, place }) => phase === 'do' && place !== null).map(({ id }) => id),
  );
  const lost = [...walk(program)].filter(
    (operation) =>
      operation.op === 'step' &&
      operation.undo &&
      done.has(operation.id) &&
      !undone.includes(operation.id),
  );
  return [
    ...compare('the recorded rollbacks', recorded, registered),
    ...compare('the effects of the rollbacks', undone, registered),
    ...lost.map(({ id }) => `${id} took place and was not undone`),
  ];
}

const OVER: ReadonlySet<string> = new Set(['completed', 'continued']);

function compare(
  what: string,
  saw: readonly string[],
  expected: readonly string[],
): readonly string[] {
  return isDeepStrictEqual(saw, expected)
    ? []
    : [`${what} are ${saw.join() || 'none'}, not ${expected.join() || 'none'}`];
}

function checkOutput(facts: Facts, journal: readonly Entry[]): readonly string[] {
  const steps = journal.filter(({ kind }) => kind === 'step');
  const recorded = new Map(steps.map(({ identity, output }) => [idOf(identity), output]));
  const expected = { results: expectAll(facts, { program: facts.program, recorded }) };
  const foreign = [...recorded].filter(
    ([id, output]) => id.startsWith('step-') && answerIn(output) !== answerOf(facts.tag, id),
  );
  return [
    ...foreign.map(([id]) => `${id} has recorded the answer to another`),
    ...(isDeepStrictEqual(facts.output, expected)
      ? []
      : [`its output is ${JSON.stringify(facts.output)}, not ${JSON.stringify(expected)}`]),
  ];
}

interface Expecting {
  readonly program: Program;
  readonly recorded: ReadonlyMap<string, Result | undefined>;
}

function expectAll(facts: Facts, { program, recorded }: Expecting): readonly unknown[] {
  return program.map((operation) => expectOne(facts, { operation, recorded }));
}

function expectOne(
  facts: Facts,
  { operation, recorded }: Omit<Expecting, 'program'> & { readonly operation: Operation },
): unknown {
  const { id } = operation;
  switch (operation.op) {
    case 'step':
      return recorded.get(id);
    case 'refused':
      return 'StepError';
    case 'sleep':
    case 'race':
      return 'slept';
    case 'event':
      return operation.comes ? `event ${id}` : 'WaitTimeoutError';
    case 'approval':
      return operation.decision === null ? 'WaitTimeoutError' : `${operation.decision} ${id}`;
    case 'child':
      return facts.children.get(id);
    case 'all':
      return operation.branches.map((program) => expectAll(facts, { program, recorded }));
    case 'fail':
    case 'continue':
      return 'nothing';
  }
}

function answerIn(output: Result | undefined): unknown {
  return typeof output === 'object' && 'answer' in output ? output.answer : undefined;
}

/** `rollback/all-3[0]/on-rollback undo step-4` belongs to `step-4`. */
function idOf(identity: string): string {
  return (identity.split('/').at(-1) ?? '').replace('on-rollback undo ', '');
}

function nameOf({ phase, id }: Effect): string {
  return `${phase} ${id}`;
}
