import type { ScorerResult } from '../domain/eval/scorer.ts';
import type { CountedCase } from '../domain/eval/tally-cases.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';

/** One case in the format of a report. */
export type CaseResult = {
  readonly id: string;
  /** Line of the data set that it begins on, from 1. */
  readonly line: number;
  readonly passed: boolean;
  readonly score: number;
  /** Empty when there was no output to judge. */
  readonly scorers: readonly ScorerResult[];
  readonly duration_ms: number | null;
  /** How long its start waited for a place; null: it found one at once. */
  readonly waited_ms: number | null;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly execution_id: string | null;
  /** Why there was no output to judge; else null. */
  readonly error: string | null;
  readonly input: JsonObject;
  readonly expected: JsonValue;
  readonly output: JsonValue;
};

export function toCounted(result: CaseResult): CountedCase {
  const { passed, score, error, tokens, scorers } = result;
  const { duration_ms: durationMs, waited_ms: waitedMs, cost_usd: costUsd } = result;
  return { passed, score, error, tokens, scorers, durationMs, waitedMs, costUsd };
}

/** Why a case did not pass, in a line. */
export function whyFailed({ error, scorers }: CaseResult): string {
  if (error !== null) return error;
  return scorers
    .filter(({ passed }) => !passed)
    .map(({ name, reason }) => `${name}: ${reason}`)
    .join('; ');
}
