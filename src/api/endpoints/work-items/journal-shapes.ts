import { z } from 'zod';

import type { JournalEntry } from '../../../shared/domain/execution/function-events.ts';
import {
  WAIT_KINDS,
  WORKER_ENTRY_KINDS,
} from '../../../shared/domain/execution/function-events.ts';
import { WAITS_MAX } from '../../../shared/domain/execution/function-run.ts';
import { ENTRIES_OF_REQUEST_MAX } from '../../../shared/engine/work/functions/append-entries.ts';
import type { AskedWait } from '../../../shared/engine/work/functions/suspend-function.ts';
import type { ExceededBudget } from '../../../shared/engine/work/functions/judge-usage.ts';
import type { JournalPage, ReadEntry } from '../../../shared/engine/work/functions/read-entries.ts';
import { userObject, userValue } from '../../schemas/json-values.ts';
import { givenLabels } from '../../schemas/labels.ts';
import { idText, instant, omittable, timestamp } from '../../schemas/text.ts';
import { entryUsage } from './usage-fields.ts';

/* The journals of durable functions, as workers write and read them. */

const IDENTITY_BYTES_MAX = 512;
/** Ten years. */
const DELAY_MS_MAX = 315_360_000_000;

const identity = z
  .string()
  .min(1, 'must not be empty')
  .refine(
    (text) => Buffer.byteLength(text) <= IDENTITY_BYTES_MAX,
    `must be at most ${IDENTITY_BYTES_MAX} bytes`,
  )
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters')
  .meta({ maxLength: IDENTITY_BYTES_MAX });
const milliseconds = z
  .int()
  .min(0, 'must not be negative')
  .max(DELAY_MS_MAX, 'must be at most ten years');

/** An entry that a worker records. */
const entry = z
  .object({
    identity,
    kind: z.enum(WORKER_ENTRY_KINDS),
    output: userValue.nullish(),
    error: omittable(z.object({ message: z.string(), class: omittable(z.string()) })),
    attempts: omittable(z.int().min(1, 'must be at least 1')),
    started_at: omittable(timestamp),
    duration_ms: omittable(z.int().min(0, 'must not be negative')),
    usage: omittable(entryUsage),
  })
  .meta({
    description:
      'One entry of a journal. `step`: ran a step · `value`: a time, a random number or an id · ' +
      '`version`: which version of a change · `labels`: set labels of the execution, its `output` · ' +
      '`on_rollback`: registered a compensation · `rollback`: ran one.',
  })
  .superRefine(({ kind, output }, context) => {
    if (kind !== 'labels') return;
    const { error } = givenLabels.safeParse(output);
    for (const { message, path } of error?.issues ?? []) {
      context.addIssue({ code: 'custom', message, path: ['output', ...path] });
    }
  })
  .transform((one): JournalEntry => {
    const { error } = one;
    return {
      identity: one.identity,
      kind: one.kind,
      ...(error === null && one.output !== undefined && { output: one.output }),
      ...(error !== null && {
        error: { message: error.message, ...(error.class !== null && { class: error.class }) },
      }),
      ...(one.attempts !== null && { attempts: one.attempts }),
      ...(one.started_at !== null && { started_at: one.started_at }),
      ...(one.duration_ms !== null && { duration_ms: one.duration_ms }),
      ...(one.usage !== null && { usage: one.usage }),
    };
  });

/** The entries of one request. */
export const entries = z
  .array(entry)
  .max(ENTRIES_OF_REQUEST_MAX, `must be at most ${ENTRIES_OF_REQUEST_MAX} entries`)
  .refine(haveOwnIdentities, 'must have an identity each of its own');

export const expectedLength = z.int().min(0, 'must not be negative').meta({
  description: 'How many entries the worker knows. 409 when the journal has another length.',
});

/** Entries that the end of a turn may append. */
export const journalFields = {
  expected_length: omittable(expectedLength),
  entries: omittable(entries).meta({
    description: 'For a durable function: entries recorded with the end of the turn.',
  }),
};

const timeout = { timeout_ms: omittable(milliseconds) };

const wait = z.discriminatedUnion('kind', [
  z.object({
    identity,
    kind: z.literal('timer'),
    delay_ms: omittable(milliseconds),
    until: omittable(instant),
  }),
  z.object({ identity, kind: z.literal('event'), correlation_key: idText, ...timeout }),
  z.object({
    identity,
    kind: z.literal('approval'),
    description: omittable(z.string()),
    context: userValue.nullish(),
    ...timeout,
  }),
  z.object({
    identity,
    kind: z.literal('child'),
    workflow_id: idText,
    version: omittable(idText),
    input: userObject,
  }),
]);

export const waits = z
  .array(wait)
  .max(WAITS_MAX, `must be at most ${WAITS_MAX} waits`)
  .refine(haveOwnIdentities, 'must have an identity each of its own')
  .refine(
    (all) =>
      all.every((one) => one.kind !== 'timer' || (one.delay_ms === null) !== (one.until === null)),
    'must have either delay_ms or until where it is a timer',
  )
  .transform((all) => all.map(askedWait));

function haveOwnIdentities(all: readonly { readonly identity: string }[]): boolean {
  return new Set(all.map((one) => one.identity)).size === all.length;
}

function askedWait(one: z.output<typeof wait>): AskedWait {
  const { identity: id, kind } = one;
  switch (kind) {
    case 'timer':
      return {
        identity: id,
        kind,
        ...(one.delay_ms !== null && { delay_ms: one.delay_ms }),
        ...(one.until !== null && { until: one.until }),
      };
    case 'event':
      return { identity: id, kind, correlation_key: one.correlation_key, ...timeoutOf(one) };
    case 'approval':
      return {
        identity: id,
        kind,
        ...(one.description !== null && { description: one.description }),
        ...(one.context !== undefined && one.context !== null && { context: one.context }),
        ...timeoutOf(one),
      };
    case 'child':
      return {
        identity: id,
        kind,
        workflow_id: one.workflow_id,
        ...(one.version !== null && { workflow_version: one.version }),
        input: one.input,
      };
  }
}

function timeoutOf({ timeout_ms }: { readonly timeout_ms: number | null }): {
  readonly timeout_ms?: number;
} {
  return timeout_ms === null ? {} : { timeout_ms };
}

/** An entry as it is read. */
export const entryShape = z.object({
  identity: z.string(),
  kind: z.enum([...WORKER_ENTRY_KINDS, ...WAIT_KINDS]),
  output: z.unknown().optional(),
  error: z.object({ message: z.string(), class: z.string().optional() }).optional(),
  attempts: z.int().optional(),
  started_at: timestamp.optional(),
  duration_ms: z.int().optional(),
  usage: z
    .object({
      input_tokens: z.int(),
      output_tokens: z.int(),
      cost_usd: z.number().nullable(),
      model: z.string().optional(),
    })
    .optional(),
});

/** A budget that allows no further step. */
export const exceededShape = z
  .looseObject({
    action: z.enum(['fail', 'pause']),
    message: z.string(),
    account: z.string().meta({ description: 'The execution that owns the budget.' }),
    tokens: z.int(),
    token_budget: z.int().nullable(),
    cost_usd: z.number(),
    cost_budget_usd: z.number().nullable(),
  })
  .meta({
    description:
      'A budget is used up: start no further step. `fail`: fail the item with class ' +
      '`budget_exceeded` · `pause`: suspend without waits; the next turn follows once a person ' +
      'grants the budget again.',
  });

export function shapeExceeded({
  action,
  message,
  told,
}: ExceededBudget): z.input<typeof exceededShape> {
  return { action, message, ...told };
}

export const journalShape = z.object({
  entries: z.array(entryShape.extend({ position: z.int(), recorded_at: timestamp })),
  length: z.int().meta({ description: 'Entries in all.' }),
  next: z.int().nullable().meta({ description: 'Where to read on; null: at the end.' }),
});

export function shapeJournal(page: JournalPage): z.input<typeof journalShape> {
  return { ...page, entries: page.entries.map(shapeRead) };
}

function shapeRead({ entry: read, position, recordedAt }: ReadEntry) {
  return { ...shapeEntry(read), position, recorded_at: recordedAt };
}

export function shapeEntry({ event_sequence: _, error, ...read }: JournalEntry) {
  return { ...read, ...(error !== undefined && { error: { ...error } }) };
}
