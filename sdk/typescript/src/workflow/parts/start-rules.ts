import { refuseUnknown, type Known } from '../../known-options.ts';
import { isExpression, type Expression } from '../expression.ts';
import { dropAbsent, type JsonObject } from '../json.ts';
import type { Duration } from './limits.ts';

/** How many executions run at a time. */
export interface Concurrency {
  /** Executions with the same value share the limit. Default: all of the workflow. */
  readonly key?: Expression;
  /** 1 to 10 000. */
  readonly limit: number;
  /**
   * The effect on a start when the limit is reached. Default `queue`: it waits, in the order of the
   * starts. `refuse`: it is a `ConflictError` with the code `concurrency_limit`. `cancel_oldest`: the
   * oldest execution is cancelled, and the new one gets its place.
   */
  readonly whenFull?: 'queue' | 'refuse' | 'cancel_oldest';
}

/** The last of several starts that come soon after each other begins. The others end as cancelled. */
export interface Debounce {
  /** Starts with the same value displace each other. Default: all of the workflow. */
  readonly key?: Expression;
  /** How long a start waits for another. */
  readonly wait: Duration;
  /** From the first start that was displaced: one begins then in any case. Default: no limit. */
  readonly maxWait?: Duration;
}

/**
 * Starts gather, and one execution begins for all of them, with the input `{ items: […] }`: their inputs in
 * order. The others end as cancelled.
 */
export interface Batch {
  /** Starts with the same value gather in one batch. Default: all of the workflow. */
  readonly key?: Expression;
  /** The batch closes with so many starts: 2 to 1 000. */
  readonly max: number;
  /** The batch closes this long after its first start. */
  readonly wait: Duration;
}

/** Keys take turns when workers claim from a queue, so no key waits for all items of another. */
export interface Fairness {
  /** Items of executions with the same value share the turns of the key. */
  readonly key: Expression;
  /** How many items a key gets while another of weight 1 gets one: 0.01 to 100. Default 1. */
  readonly weight?: number | Expression;
}

/** How many executions begin in a time. The others wait in the order of their starts. */
export interface StartRate {
  /** Executions with the same value share the rate. Default: all of the workflow. */
  readonly key?: Expression;
  /** Executions in each `per`. */
  readonly limit: number;
  /** From one second to one day. */
  readonly per: Duration;
  /** The most that begin at once, after a rest. Default: `limit`. */
  readonly burst?: number;
}

/** When executions begin, and in which order workers get their work. */
export interface StartRules {
  readonly concurrency?: Concurrency;
  readonly rate?: StartRate;
  readonly debounce?: Debounce;
  readonly batch?: Batch;
  readonly fairness?: Fairness;
}

/** @throws TypeError for a member that is not known, and for a key that is no expression */
export function writeStartRules(rules: {
  readonly [Name in keyof StartRules]: StartRules[Name] | undefined;
}): JsonObject {
  const { concurrency, rate, debounce, batch, fairness } = rules;
  return {
    concurrency: concurrency && writeConcurrency(concurrency),
    rate: rate && writeRate(rate),
    debounce: debounce && writeDebounce(debounce),
    batch: batch && writeBatch(batch),
    fairness: fairness && writeFairness(fairness),
  };
}

function writeConcurrency(concurrency: Concurrency): JsonObject {
  const known: Known<Concurrency> = { key: true, limit: true, whenFull: true };
  refuseUnknown(concurrency, known, 'concurrency');
  const { key, limit, whenFull } = concurrency;
  return dropAbsent({ key: readCel(key, 'concurrency.key'), limit, when_full: whenFull });
}

function writeRate(rate: StartRate): JsonObject {
  const known: Known<StartRate> = { key: true, limit: true, per: true, burst: true };
  refuseUnknown(rate, known, 'rate');
  const { key, limit, per, burst } = rate;
  return dropAbsent({ key: readCel(key, 'rate.key'), limit, per, burst });
}

function writeDebounce(debounce: Debounce): JsonObject {
  const known: Known<Debounce> = { key: true, wait: true, maxWait: true };
  refuseUnknown(debounce, known, 'debounce');
  const { key, wait, maxWait } = debounce;
  return dropAbsent({ key: readCel(key, 'debounce.key'), wait, max_wait: maxWait });
}

function writeBatch(batch: Batch): JsonObject {
  const known: Known<Batch> = { key: true, max: true, wait: true };
  refuseUnknown(batch, known, 'batch');
  const { key, max, wait } = batch;
  return dropAbsent({ key: readCel(key, 'batch.key'), max, wait });
}

function writeFairness(fairness: Fairness): JsonObject {
  const known: Known<Fairness> = { key: true, weight: true };
  refuseUnknown(fairness, known, 'fairness');
  const { key, weight } = fairness;
  return dropAbsent({
    key: readCel(key, 'fairness.key'),
    weight: typeof weight === 'number' ? weight : readCel(weight, 'fairness.weight'),
  });
}

/** A key that is dropped would make all executions share one limit. */
function readCel(key: Expression | undefined, what: string): string | undefined {
  if (key === undefined) return undefined;
  if (isExpression(key)) return key['~cel'];
  throw new TypeError(
    `${what} must be an expression, such as cel\`input.customer\` with cel of svc-sdk/workflow: ${JSON.stringify(key)}`,
  );
}
