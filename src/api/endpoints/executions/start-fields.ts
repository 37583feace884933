import { z } from 'zod';

import { badRequest } from '../../../shared/domain/errors.ts';
import type { JsonObject, JsonValue } from '../../../shared/domain/json.ts';
import { countChanges, nearestName } from '../../../shared/domain/nearest-name.ts';
import { parseTraceparent, writeTraceparent } from '../../../shared/domain/traceparent.ts';
import { RULE_KINDS } from '../../../shared/domain/workflow/flow/rule-kinds.ts';
import type { StartExecution } from '../../../shared/engine/executions/start-execution.ts';
import type { ApiRequest } from '../../endpoint.ts';
import { isLikeRule, readRules, ruleFields } from '../../schemas/flow-rules.ts';
import { userObject } from '../../schemas/json-values.ts';
import { givenLabels } from '../../schemas/labels.ts';
import { idText, omittable } from '../../schemas/text.ts';

const PRIORITY_DEFAULT = 5;

const startTime = z.union([z.string().max(64), z.number().min(0)]);

/** The members of a start, alone or as one of many. */
export const startFields = {
  workflow_id: idText,
  workflow_version: omittable(idText).meta({
    description: 'Default: the latest registered version.',
  }),
  input: userObject,
  labels: omittable(givenLabels).meta({
    description:
      'Names and values to find the execution by. Its children and retries have them too.',
  }),
  start_after: omittable(startTime).meta({
    description:
      'It begins then: a duration from now like `10m`, or an instant with offset. Default: that of the workflow, or at once.',
  }),
  start_deadline: omittable(startTime).meta({
    description:
      'It fails unless it has begun by then: a duration from now, or an instant. Default: that of the workflow, or none.',
  }),
  ...ruleFields,
  priority: omittable(z.int().min(0).max(9)).meta({
    description: `Work of this execution is handed out in this order: 0 first, 9 last, ${PRIORITY_DEFAULT} by default.`,
  }),
};

const KNOWN: ReadonlySet<string> = new Set(Object.keys(startFields));
const TIMES = ['start_after', 'start_deadline'];
/** Other words for a time, in the letters of `lettersOf`; the command line has `--after` and `--deadline`. */
const WORDS_FOR_TIMES: ReadonlyMap<string, string> = new Map([
  ...['after', 'startat', 'startin', 'startdelay', 'delay', 'beginat', 'beginafter'].map(
    (word) => [word, 'start_after'] as const,
  ),
  ...['deadline', 'startby', 'startbefore', 'beginby', 'begindeadline'].map(
    (word) => [word, 'start_deadline'] as const,
  ),
]);

/**
 * Members that a start does not know are ignored. Those that are nearly a rule or a time, or another word for a
 * time, are refused: the execution would begin without its limit, or at another time.
 */
export function refuseMisspelt(body: JsonObject): void {
  for (const [name, value] of Object.entries(body)) {
    if (KNOWN.has(name)) continue;
    const meant = meantBy(name, value);
    if (meant === null) continue;
    throw badRequest(`/${name} is unknown, did you mean ${JSON.stringify(meant)}?`);
  }
}

/** Any text or number could be a time, so its name must be one slip from that of a time, or a word for it. */
function meantBy(name: string, value: JsonValue): string | null {
  if (isLikeRule(value)) return nearestName(name, RULE_KINDS);
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const letters = lettersOf(name);
  const word = WORDS_FOR_TIMES.get(letters);
  return word ?? TIMES.find((time) => countChanges(letters, lettersOf(time)) <= 1) ?? null;
}

/** `startAfter` and `start_after` are the same letters. */
const lettersOf = (name: string): string =>
  name.slice(0, LETTERS_MAX).toLowerCase().replaceAll('_', '');

/** Longer than any name of a time with one slip. */
const LETTERS_MAX = 40;

type StartBody = z.output<z.ZodObject<typeof startFields>>;

export function readStart(
  body: StartBody,
): Pick<
  StartExecution,
  'workflowId' | 'workflowVersion' | 'input' | 'priority' | 'labels' | 'startTimes' | 'startRules'
> {
  const { start_after: after, start_deadline: deadline } = body;
  return {
    workflowId: body.workflow_id,
    workflowVersion: body.workflow_version,
    input: body.input,
    priority: body.priority ?? PRIORITY_DEFAULT,
    ...(body.labels !== null && { labels: body.labels }),
    ...readRules(body),
    ...((after !== null || deadline !== null) && {
      startTimes: { ...(after !== null && { after }), ...(deadline !== null && { deadline }) },
    }),
  };
}

/** One that cannot be read is as if there were none. */
export function readTraceparent(
  request: Pick<ApiRequest<unknown, unknown, unknown>, 'header'>,
): Pick<StartExecution, 'traceparent'> {
  const given = request.header('traceparent');
  const parent = given === undefined ? null : parseTraceparent(given);
  return parent === null ? {} : { traceparent: writeTraceparent(parent) };
}
