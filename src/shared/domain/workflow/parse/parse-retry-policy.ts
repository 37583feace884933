import type { JsonObject, JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { RetryPolicy } from '../../work/retry.ts';
import { DEFAULT_RETRY_POLICY } from '../../work/retry.ts';
import { DURATION_FORMS, parseDuration } from './parse-duration.ts';
import type { ProblemList } from '../problem.ts';

const ATTEMPTS_MAX = 1_000;
const BACKOFFS = ['fixed', 'linear', 'exponential'] as const;

/**
 * Reads a retry policy under `retry_policies` or at a node: `{max_attempts, backoff, initial_delay,
 * max_delay, jitter, retryable_on, non_retryable_on}`, all optional.
 */
export function parseRetryPolicy(
  raw: JsonValue,
  pointer: string,
  problems: ProblemList,
): RetryPolicy {
  if (!isJsonObject(raw)) {
    problems.add(pointer, 'a retry policy must be an object');
    return DEFAULT_RETRY_POLICY;
  }
  const fields = new PolicyFields(raw, pointer, problems);
  return {
    maxAttempts: fields.attempts('max_attempts', DEFAULT_RETRY_POLICY.maxAttempts),
    backoff: fields.backoff('backoff', DEFAULT_RETRY_POLICY.backoff),
    initialDelayMs: fields.delay('initial_delay', DEFAULT_RETRY_POLICY.initialDelayMs),
    maxDelayMs: fields.delay('max_delay', DEFAULT_RETRY_POLICY.maxDelayMs),
    jitter: fields.flag('jitter', DEFAULT_RETRY_POLICY.jitter),
    retryableOn: fields.classes('retryable_on'),
    nonRetryableOn: fields.classes('non_retryable_on') ?? [],
  };
}

/** Reads one field each: absent or null is the default, and so is what was reported. */
class PolicyFields {
  readonly #raw: JsonObject;
  readonly #pointer: string;
  readonly #problems: ProblemList;

  constructor(raw: JsonObject, pointer: string, problems: ProblemList) {
    this.#raw = raw;
    this.#pointer = pointer;
    this.#problems = problems;
  }

  attempts(name: string, byDefault: number): number {
    const value = this.#raw[name] ?? byDefault;
    const fits = typeof value === 'number' && Number.isInteger(value);
    if (fits && value >= 1 && value <= ATTEMPTS_MAX) return value;
    return this.#refuse(name, `must be a whole number from 1 to ${ATTEMPTS_MAX}`, byDefault);
  }

  backoff(name: string, byDefault: RetryPolicy['backoff']): RetryPolicy['backoff'] {
    const value = this.#raw[name] ?? byDefault;
    const known = BACKOFFS.find((backoff) => backoff === value);
    return known ?? this.#refuse(name, `must be one of ${BACKOFFS.join(', ')}`, byDefault);
  }

  delay(name: string, byDefault: number): number {
    const long = `${name}_secs`;
    const given = this.#raw[name] ?? null;
    const used = given === null && Object.hasOwn(this.#raw, long) ? long : name;
    const value = this.#raw[used] ?? null;
    if (value === null) return byDefault;
    return parseDuration(value) ?? this.#refuse(used, `must be ${DURATION_FORMS}`, byDefault);
  }

  flag(name: string, byDefault: boolean): boolean {
    const value = this.#raw[name] ?? byDefault;
    return typeof value === 'boolean'
      ? value
      : this.#refuse(name, 'must be true or false', byDefault);
  }

  classes(name: string): readonly string[] | null {
    const value = this.#raw[name] ?? null;
    if (value === null) return null;
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    return isList ? value : this.#refuse(name, 'must be a list of error classes', null);
  }

  #refuse<Value>(name: string, message: string, byDefault: Value): Value {
    this.#problems.add(`${this.#pointer}/${name}`, message);
    return byDefault;
  }
}
