import { createDice, type Dice } from '../simulation/dice.ts';

/*
 * The work of an execution, as data. The function of the worker performs it, and the harness
 * derives the expected result from it. Each operation has a unique id within the execution.
 */

export type Operation =
  | {
      readonly op: 'step';
      readonly id: string;
      /** The step has a rollback, registered before it. */
      readonly undo: boolean;
      readonly durability: 'each' | 'end';
      /** This many calls fail before one succeeds; `undoFailures` counts those of the rollback. */
      readonly failures: number;
      readonly undoFailures: number;
      /** The pause after a failure suspends the function. */
      readonly isPatient: boolean;
    }
  /** A step that the receiver refuses permanently, and whose error the function handles. */
  | { readonly op: 'refused'; readonly id: string }
  | { readonly op: 'sleep'; readonly id: string; readonly ms: number }
  | { readonly op: 'event'; readonly id: string; readonly comes: boolean }
  | { readonly op: 'approval'; readonly id: string; readonly decision: Decision | null }
  | { readonly op: 'child'; readonly id: string; readonly program: Program }
  | { readonly op: 'all'; readonly id: string; readonly branches: readonly Program[] }
  /** A race between an event that never comes and a sleep. */
  | { readonly op: 'race'; readonly id: string; readonly ms: number }
  /** The function fails, either in a step or by an error of its own. Always the last operation. */
  | { readonly op: 'fail'; readonly id: string; readonly how: 'step' | 'throw' }
  /** The function continues as new, with this program. Always the last operation. */
  | { readonly op: 'continue'; readonly id: string; readonly program: Program };

export type Decision = 'approved' | 'rejected';
export type Program = readonly Operation[];
export type Step = Extract<Operation, { readonly op: 'step' }>;

export interface Input {
  /** Identifies one visit of an execution; the receiver counts effects by it. */
  readonly tag: string;
  readonly program: Program;
}

export interface Called {
  readonly tag: string;
  readonly id: string;
}

export interface Plan extends Input {
  /** Counted from the start, or from the first call of an operation; null: no cancel. */
  readonly cancel: { readonly at: Called | null; readonly afterMs: number } | null;
  /** The time of each event after the start, by the id of its operation. */
  readonly deliverMs: ReadonlyMap<string, number>;
}

/** The timeout of waits that get no answer. */
export const TIMEOUT_MS = 400;
const CANCELLED = 0.15;
const CONTINUED = 0.3;
const VISITS_MAX = 4;
/** The first step of each visit that continues; all these steps have the same identity. */
const POLL = 'step-0';

/** Draws the execution of a seed. */
export function drawPlan(seed: number): Plan {
  const dice = createDice(`functions ${seed}`);
  const draws: Draws = { events: [], next: 0 };
  const tag = `run-${seed}`;
  const program = drawVisits(dice, draws, 1);
  const steps = visitsOf({ tag, program }).flatMap((visit) =>
    [...walk(visit.program)].flatMap(({ op, id }) =>
      op === 'step' ? [{ tag: visit.tag, id }] : [],
    ),
  );
  const deliverMs = new Map(
    draws.events.map((id) => [id, dice.chance(0.3) ? 0 : dice.between(0, 2_500)] as const),
  );
  const isCancelled = dice.chance(CANCELLED);
  const at = steps.length > 0 && dice.chance(0.6) ? dice.pick(steps) : null;
  const afterMs = at === null ? dice.between(0, 4_000) : dice.between(0, 60);
  return {
    tag,
    program,
    deliverMs,
    cancel: isCancelled ? { at, afterMs } : null,
  };
}

/** The visits of the function in order, each with its own tag and program. */
export function visitsOf({ tag, program }: Input): readonly Input[] {
  const last = program.at(-1);
  if (last?.op !== 'continue') return [{ tag, program }];
  const next = { tag: tagOfNext(tag), program: last.program };
  return [{ tag, program: program.slice(0, -1) }, ...visitsOf(next)];
}

export function tagOfNext(tag: string): string {
  return `${tag}+`;
}

/** All operations of a visit, with those of branches and without those of children. */
export function* walk(program: Program): Generator<Operation> {
  for (const operation of program) {
    yield operation;
    if (operation.op === 'all') for (const branch of operation.branches) yield* walk(branch);
  }
}

/** The identities in the journal, by the ids of operations. */
export function identitiesOf(program: Program): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const operation of program) {
    found.set(operation.id, operation.id);
    if (operation.op !== 'all') continue;
    for (const [index, branch] of operation.branches.entries()) {
      for (const { id } of branch) found.set(id, `${operation.id}[${index}]/${id}`);
    }
  }
  return found;
}

export function tagOfChild(tag: string, id: string): string {
  return `${tag}.${id}`;
}

const KINDS = [
  ...(['step', 'step', 'step', 'step', 'step', 'step'] as const),
  ...(['sleep', 'sleep', 'event', 'event', 'approval', 'approval'] as const),
  ...(['refused', 'race', 'all', 'all', 'child'] as const),
] as const;

interface Draws {
  readonly events: string[];
  next: number;
}

/** A function that may continue. A visit that continues has no rollbacks. */
function drawVisits(dice: Dice, draws: Draws, visit: number): Program {
  if (visit === VISITS_MAX || !dice.chance(CONTINUED)) {
    return drawProgram(dice, { draws, isChild: false });
  }
  const poll = drawOperation(dice, { draws, kind: 'step' });
  const program = Array.from({ length: dice.between(0, 3) }, () =>
    drawOperation(dice, { draws, kind: dice.pick(KINDS) }),
  );
  return [
    ...[{ ...poll, id: POLL }, ...program].map(withoutUndo),
    { op: 'continue', id: nextId(draws, 'continue'), program: drawVisits(dice, draws, visit + 1) },
  ];
}

function withoutUndo(operation: Operation): Operation {
  if (operation.op === 'step') return { ...operation, undo: false };
  if (operation.op !== 'all') return operation;
  return { ...operation, branches: operation.branches.map((branch) => branch.map(withoutUndo)) };
}

function drawProgram(
  dice: Dice,
  { draws, isChild }: { readonly draws: Draws; readonly isChild: boolean },
): Program {
  const allowed = isChild ? (['step', 'step', 'step', 'sleep', 'refused'] as const) : KINDS;
  const program: Operation[] = Array.from({ length: dice.between(2, isChild ? 3 : 6) }, () =>
    drawOperation(dice, { draws, kind: dice.pick<(typeof KINDS)[number]>(allowed) }),
  );
  if (dice.chance(0.25)) {
    program.push({ op: 'fail', id: nextId(draws, 'fail'), how: dice.pick(['step', 'throw']) });
  }
  return program;
}

function nextId(draws: Draws, name: string): string {
  draws.next += 1;
  return `${name}-${draws.next}`;
}

function drawOperation(
  dice: Dice,
  { draws, kind }: { readonly draws: Draws; readonly kind: (typeof KINDS)[number] },
): Operation {
  const id = nextId(draws, kind);
  switch (kind) {
    case 'step': {
      const isEnd = dice.chance(0.2);
      return {
        op: 'step',
        id,
        undo: !isEnd && dice.chance(0.6),
        durability: isEnd ? 'end' : 'each',
        failures: dice.chance(0.2) ? dice.between(1, 2) : 0,
        undoFailures: dice.chance(0.2) ? 1 : 0,
        isPatient: dice.chance(0.1),
      };
    }
    case 'refused':
      return { op: 'refused', id };
    case 'sleep':
      return { op: 'sleep', id, ms: dice.between(1, 1_200) };
    case 'event': {
      const comes = dice.chance(0.75);
      if (comes) draws.events.push(id);
      return { op: 'event', id, comes };
    }
    case 'approval':
      return { op: 'approval', id, decision: dice.pick(['approved', 'rejected', null]) };
    case 'race':
      return { op: 'race', id, ms: dice.between(1, 300) };
    case 'child':
      return {
        op: 'child',
        id,
        program: drawProgram(dice, { draws: { events: [], next: 0 }, isChild: true }),
      };
    case 'all': {
      const branch = (): Program =>
        Array.from({ length: dice.between(1, 3) }, () =>
          drawOperation(dice, {
            draws,
            kind: dice.pick(['step', 'step', 'step', 'sleep', 'event', 'approval', 'refused']),
          }),
        );
      return { op: 'all', id, branches: Array.from({ length: dice.between(2, 3) }, branch) };
    }
  }
}
