import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import type { AskedWait } from '../../src/shared/engine/work/functions/suspend-function.ts';
import { createDice, type Dice } from './dice.ts';

/**
 * A small durable function. Its next action follows from its journal alone, like that of any
 * replayed code.
 */
export type Program = readonly Instruction[];

type Instruction =
  | { readonly do: 'step'; readonly identity: string; readonly isCompensated: boolean }
  | { readonly do: 'value'; readonly identity: string }
  /** Waits until the first of them is satisfied. */
  | { readonly do: 'wait'; readonly waits: readonly AskedWait[] }
  /** Fails while fewer than `attempts` attempts have failed. */
  | { readonly do: 'fail'; readonly attempts: number; readonly isFinal: boolean }
  /** Continues as a new visit, with the results that this one has seen; always the last. */
  | { readonly do: 'continue' };

export type Next =
  | { readonly do: 'step'; readonly identity: string }
  | { readonly do: 'register'; readonly identity: string }
  | { readonly do: 'value'; readonly identity: string }
  | { readonly do: 'wait'; readonly waits: readonly AskedWait[] }
  | { readonly do: 'fail'; readonly isFinal: boolean }
  | { readonly do: 'continue' | 'complete'; readonly seen: JsonObject };

/** The correlation key of the event that functions wait for. */
export const GO = 'go';
const NEVER_WELL = 99;

/** The program of a visit. It follows from the input, so every turn has the same one. */
export function programOf(
  programs: string,
  { nodeId, input }: { readonly nodeId: string; readonly input: JsonValue },
): Program {
  const { token = null } = isJsonObject(input) ? input : {};
  return drawProgram(`${programs}/${JSON.stringify(token)}/${nodeId}`, roundOf(input));
}

function drawProgram(names: string, round: number): Program {
  const dice = createDice(round === 0 ? names : `${names}/${round}`);
  const continues = round < ROUNDS_MAX && dice.chance(CONTINUED);
  const program = Array.from({ length: dice.between(continues ? 0 : 1, 5) }, (_, index) =>
    drawInstruction(dice, { index, compensated: continues ? 0.08 : 0.5 }),
  );
  return continues ? [...program, { do: 'continue' }] : program;
}

const CONTINUED = 0.35;
const ROUNDS_MAX = 4;

/** How often the function has continued. */
function roundOf(input: JsonValue): number {
  const round = isJsonObject(input) ? input['round'] : null;
  return typeof round === 'number' ? round : 0;
}

/** The input of the next visit: the input of this visit, and the results that it has seen. */
export function nextInput(input: JsonValue, seen: JsonObject): JsonObject {
  const { token = null } = isJsonObject(input) ? input : {};
  return { token, round: roundOf(input) + 1, seen };
}

function drawInstruction(
  dice: Dice,
  { index, compensated }: { readonly index: number; readonly compensated: number },
): Instruction {
  const drawn = dice.fraction();
  if (drawn < 0.45) {
    return { do: 'step', identity: `step ${index}`, isCompensated: dice.chance(compensated) };
  }
  if (drawn < 0.55) return { do: 'value', identity: `value ${index}` };
  if (drawn < 0.65) {
    const attempts = dice.pick([1, 1, 2, NEVER_WELL]);
    return { do: 'fail', attempts, isFinal: dice.chance(0.3) };
  }
  const count = dice.pick([1, 1, 2, 3]);
  const waits = Array.from({ length: count }, (_, wait) => drawWait(dice, `wait ${index}.${wait}`));
  return { do: 'wait', waits };
}

/** Every wait ends, even if no client answers it. */
function drawWait(dice: Dice, identity: string): AskedWait {
  const ms = dice.between(0, 300);
  switch (dice.pick(['timer', 'event', 'approval', 'child'] as const)) {
    case 'timer':
      return { identity, kind: 'timer', delay_ms: ms };
    case 'event':
      return { identity, kind: 'event', correlation_key: GO, timeout_ms: ms * 2 };
    case 'approval':
      return { identity, kind: 'approval', timeout_ms: ms * 3 };
    default:
      return {
        identity,
        kind: 'child',
        workflow_id: dice.pick(['leaf', 'nobody']),
        input: { by: identity },
      };
  }
}

/** The next action of the function, for a journal and the number of failed attempts. */
export function nextOf(program: Program, journal: readonly JsonObject[], attempt: number): Next {
  const places = new Map(journal.map(({ identity }, place) => [identity, place]));
  const seen: Record<string, JsonValue> = {};
  const see = (identity: string): void => {
    const { output = null, error } = journal[places.get(identity) ?? -1] ?? {};
    seen[identity] = isJsonObject(error) ? (error['class'] ?? 'error') : output;
  };
  for (const instruction of program) {
    switch (instruction.do) {
      case 'step': {
        const { identity } = instruction;
        if (!places.has(identity)) return { do: 'step', identity };
        see(identity);
        const undo = `undo ${identity}`;
        if (instruction.isCompensated && !places.has(undo))
          return { do: 'register', identity: undo };
        break;
      }
      case 'value':
        if (!places.has(instruction.identity)) return instruction;
        see(instruction.identity);
        break;
      case 'fail':
        if (attempt < instruction.attempts) return instruction;
        break;
      case 'continue':
        return { do: 'continue', seen };
      case 'wait': {
        const came = instruction.waits
          .map(({ identity }) => identity)
          .filter((identity) => places.has(identity))
          .toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
        const [first] = came;
        if (first === undefined) return instruction;
        see(first);
      }
    }
  }
  return { do: 'complete', seen };
}

/** Compensations that have not run, in the order in which they run. */
export function owedIn(journal: readonly JsonObject[]): readonly string[] {
  const done = new Set(journal.filter(({ kind }) => kind === 'rollback').map(identityOf));
  return journal
    .filter(({ kind }) => kind === 'on_rollback')
    .map(identityOf)
    .filter((identity) => !done.has(`rollback/${identity}`))
    .toReversed();
}

function identityOf({ identity }: JsonObject): string {
  return typeof identity === 'string' ? identity : '';
}

/** After this many failed attempts, every function that can complete does. */
export const WELL_AFTER = NEVER_WELL - 1;
