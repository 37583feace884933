import { refuseUnknown } from '../../known-options.ts';
import type { Expression } from '../expression.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';
import type { Duration } from './limits.ts';
import { writeModelChoice, type ModelChoice } from './models.ts';

/** A condition that the judged output must satisfy. */
export type Check =
  | Expression
  | {
      readonly check: Expression;
      readonly name?: string;
      /** Its share of the score. Default 1. */
      readonly weight?: number;
    };

interface Scored {
  /** Its name in results. */
  readonly name?: string;
  /** Its share of the score. Default 1. */
  readonly weight?: number;
  /** The score that passes, 0 to 1. */
  readonly threshold?: number;
}

/** Gives an output a score from 0 to 1. */
export type Scorer<ModelName extends string = string> = Scored &
  (
    | { readonly type: 'assertion'; readonly checks: readonly Check[] }
    | { readonly type: 'latency'; readonly maxMs: number }
    | { readonly type: 'latency'; readonly maxTime: Duration }
    | { readonly type: 'cost'; readonly maxUsd?: number; readonly maxTokens?: number }
    | {
        readonly type: 'llm_judge';
        /** The qualities of a good output. */
        readonly rubric: string;
        readonly model?: ModelChoice<ModelName>;
      }
  );

const SCORED = { type: true, name: true, weight: true, threshold: true } as const;
const MEASURES: Readonly<Record<Scorer['type'], Readonly<Record<string, true>>>> = {
  assertion: { checks: true },
  latency: { maxMs: true, maxTime: true },
  cost: { maxUsd: true, maxTokens: true },
  llm_judge: { rubric: true, model: true },
};
const CHECK = { check: true, name: true, weight: true } as const;

export function writeScorer(scorer: Scorer): JsonObject {
  refuseUnknown(scorer, { ...SCORED, ...MEASURES[scorer.type] }, `a scorer of type ${scorer.type}`);
  const { type, name, weight, threshold } = scorer;
  return dropAbsent({ type, name, weight, threshold, ...writeMeasure(scorer) });
}

function writeMeasure(scorer: Scorer): JsonObject {
  switch (scorer.type) {
    case 'assertion':
      return { checks: scorer.checks.map(writeCheck) };
    case 'latency':
      return 'maxMs' in scorer ? { max_ms: scorer.maxMs } : { max_secs: scorer.maxTime };
    case 'cost':
      return { max_usd: scorer.maxUsd, max_tokens: scorer.maxTokens };
    case 'llm_judge':
      return { rubric: scorer.rubric, model_ref: writeModelChoice(scorer.model) };
  }
}

function writeCheck(check: Check): JsonValue {
  if ('~cel' in check) return check['~cel'];
  refuseUnknown(check, CHECK, 'a check');
  return dropAbsent({ name: check.name, check: check.check['~cel'], weight: check.weight });
}
