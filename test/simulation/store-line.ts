import { translateError } from '../../src/shared/store/postgres/connection/errors.ts';
import type { Store } from '../../src/shared/store/store.ts';
import type { WorkStore } from '../../src/shared/store/work.ts';
import type { Dice } from './dice.ts';
import type { FaultKind, Faults } from './faults.ts';
import { momentOf } from './moments.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/**
 * The line between one process and the database. Each call takes time in both directions, and may
 * fail on either way with the errors of the PostgreSQL adapter. When the answer arrives, the
 * process may be dead or paused.
 */
export interface StoreLine {
  call<Result>(
    name: string,
    run: () => Promise<Result>,
    given?: readonly unknown[],
  ): Promise<Result>;
}

export function createStoreLine(params: {
  readonly world: World;
  readonly process: Process;
  readonly dice: Dice;
  readonly faults: Faults;
  readonly onCrash: () => void;
  readonly onCall: () => void;
}): StoreLine {
  const { world, process, dice, faults, onCrash, onCall } = params;

  /** Mostly one or two milliseconds, and sometimes long enough for other calls to overtake. */
  function latencyMs(): number {
    return dice.chance(0.1) ? dice.fraction() * 30 : 0.2 + dice.fraction() * 2;
  }

  /** Decides whether the process dies before or after a call that writes. */
  function deathAt(name: string, given: readonly unknown[]): 'before' | 'after' | null {
    if (!process.isAlive()) return null;
    const moment = momentOf(name, given);
    if (moment !== null && faults.strikes(moment)) return dice.chance(0.5) ? 'before' : 'after';
    if (faults.strikes('crash_before')) return 'before';
    return faults.strikes('crash_after') ? 'after' : null;
  }

  return {
    call<Result>(
      name: string,
      run: () => Promise<Result>,
      given: readonly unknown[] = [],
    ): Promise<Result> {
      onCall();
      return new Promise((resolve, reject) => {
        const writes = !READS.test(name);
        const commits = writes && !name.startsWith('shards.');
        const answer = (settle: () => void, ms = latencyMs()): void => {
          world.after(ms, () => process.enter(settle));
        };
        const fail = (kind: keyof typeof ERRORS, ms?: number): void => {
          world.note(`${process.name} ${name} ! ${kind}`);
          answer(() => reject(errorOf(kind, writes)), ms);
        };
        const refusal = REFUSALS.find((kind) => faults.strikes(kind));
        if (refusal !== undefined) return fail(refusal);
        if (faults.strikes('timed_out_before')) return fail('timed_out_before', TIMEOUT_MS);
        const sentMs = faults.strikes('slow') ? dice.between(50, 700) : latencyMs();
        world.after(sentMs, async () => {
          const dies = commits ? deathAt(name, given) : null;
          if (dies === 'before') onCrash();
          // A call that was sent before the process died may still arrive.
          if (!process.isAlive() && dice.chance(0.5)) return;
          world.note(`${process.name} ${name}`);
          await run().then(
            (result) => {
              if (dies === 'after') onCrash();
              if (faults.strikes('timed_out_after')) fail('timed_out_after', TIMEOUT_MS);
              else answer(() => resolve(result));
            },
            (error: Error) => {
              world.note(`${process.name} ${name} threw ${error.message}`);
              answer(() => reject(error));
            },
          );
        });
      });
    },
  };
}

const READS = /\.(find|load|events|usage|list|next|recorded|latest|count|read|document)/;
const TIMEOUT_MS = 800;
const REFUSALS = ['unavailable', 'pool_exhausted', 'serialization', 'deadlock'] as const;

/** Errors of the driver. */
const ERRORS = {
  unavailable: { code: '57P03' },
  pool_exhausted: { code: '53300' },
  serialization: { code: '40001' },
  deadlock: { code: '40P01' },
  timed_out_before: { code: 'ETIMEDOUT' },
  timed_out_after: { code: 'ETIMEDOUT' },
} satisfies Partial<Record<FaultKind, { code: string }>>;

function errorOf(kind: keyof typeof ERRORS, writes: boolean): Error {
  const error = Object.assign(new Error(`simulated: ${kind}`), ERRORS[kind]);
  return translateError(error, { mayBeCarriedOut: writes }) as Error;
}

/**
 * The whole store at the end of a line. Each area is an object with only asynchronous functions.
 * Locks and wake-ups between processes are given. No check uses the list of workers, and nothing
 * gets old enough for pruning.
 */
export function storeOverLine(
  store: Store,
  line: StoreLine,
  given: Pick<Store, 'shards' | 'wake'>,
): Store {
  const areas = Object.entries(store).filter(([, area]) => typeof area === 'object');
  return {
    ...store,
    // Two commits at a time, as with PostgreSQL.
    dialect: 'postgres',
    ...Object.fromEntries(
      areas.map(([name, area]) => [name, overLine(name, area as object, line)]),
    ),
    ...given,
    // A hint within the process: no call of the database.
    work: {
      ...overLine('work', store.work, line),
      noteAdded: (key) => store.work.noteAdded(key),
    } as WorkStore,
    workers: {
      announce: async () => {},
      list: async () => ({ workers: [], isExact: true }),
      withdraw: async () => {},
    },
    prune: async () => 0,
  };
}

function overLine(name: string, area: object, line: StoreLine): object {
  const methods = Object.entries(area as Record<string, (...given: unknown[]) => Promise<unknown>>);
  return Object.fromEntries(
    methods.map(([method, call]) => [
      method,
      (...given: unknown[]) => line.call(`${name}.${method}`, () => call(...given), given),
    ]),
  );
}
