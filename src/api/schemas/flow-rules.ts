import { z } from 'zod';

import {
  BATCH_MAX,
  BATCH_MIN,
  CONCURRENCY_MAX,
  WHEN_FULL,
} from '../../shared/domain/workflow/flow/concurrency.ts';
import { WEIGHT_MAX, WEIGHT_MIN } from '../../shared/domain/workflow/flow/fairness.ts';
import type { GivenRules } from '../../shared/domain/workflow/flow/given-rules.ts';
import type { RuleKind } from '../../shared/domain/workflow/flow/rule-kinds.ts';
import { RATE_LIMIT_MAX } from '../../shared/domain/workflow/flow/rate.ts';
import { omittable } from './text.ts';
import { unchecked } from './unchecked.ts';

/* Rules of flow control that a start brings. The engine reads them as it reads those of a definition. */

const duration = z.union([z.string(), z.number().min(0)]);
const KEY_FORM =
  "An expression over the input, such as `input.customer`; text in quotes, such as `'acme'`, is a constant.";
const key = z
  .string()
  .optional()
  .meta({ description: `${KEY_FORM} Default: one key for all of the workflow.` });

const SHAPES = {
  concurrency: z.strictObject({
    key,
    limit: z.int().min(1).max(CONCURRENCY_MAX),
    when_full: z.enum(WHEN_FULL).optional().meta({ default: 'queue' }),
  }),
  rate: z.strictObject({
    key,
    limit: z.int().min(1).max(RATE_LIMIT_MAX),
    per: duration,
    burst: z.int().min(1).max(RATE_LIMIT_MAX).optional().meta({ description: 'Default: `limit`.' }),
  }),
  debounce: z.strictObject({ key, wait: duration, max_wait: duration.optional() }),
  batch: z.strictObject({ key, max: z.int().min(BATCH_MIN).max(BATCH_MAX), wait: duration }),
  fairness: z.strictObject({
    key: z.string().meta({ description: KEY_FORM }),
    weight: z
      .union([z.number().min(WEIGHT_MIN).max(WEIGHT_MAX), z.string()])
      .optional()
      .meta({
        description:
          'Items that the key gets while one of weight 1 gets one; or an expression over the input. Default: 1.',
      }),
  }),
} satisfies Record<RuleKind, z.ZodType>;

const NOTE = 'As in a definition; refused if the definition has one.';

/** Members of a start. */
export const ruleFields = {
  concurrency: omittable(unchecked(SHAPES.concurrency)).meta({
    description: `How many executions with the same key run at a time. ${NOTE}`,
  }),
  rate: omittable(unchecked(SHAPES.rate)).meta({
    description: `How many executions with the same key begin in a time. ${NOTE}`,
  }),
  debounce: omittable(unchecked(SHAPES.debounce)).meta({
    description: `It waits whether another start of its key comes, which then displaces it. ${NOTE}`,
  }),
  batch: omittable(unchecked(SHAPES.batch)).meta({
    description: `It gathers with others of its key, and one execution begins for all of them. ${NOTE}`,
  }),
  fairness: omittable(unchecked(SHAPES.fairness)).meta({
    description: `Its items take turns with those of other keys when workers claim from a queue. ${NOTE}`,
  }),
};

const MEMBERS: ReadonlySet<string> = new Set(
  Object.values(SHAPES).flatMap((shape) => Object.keys(shape.shape)),
);

/** Whether a value of another name is written as a rule is. */
export function isLikeRule(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).some((name) => MEMBERS.has(name));
}

/** Empty: the start brings none. */
export function readRules({
  concurrency,
  rate,
  debounce,
  batch,
  fairness,
}: z.output<z.ZodObject<typeof ruleFields>>): { readonly startRules?: GivenRules } {
  const given = Object.entries({ concurrency, rate, debounce, batch, fairness }).filter(
    ([, rule]) => rule !== null,
  );
  return given.length === 0 ? {} : { startRules: Object.fromEntries(given) };
}
