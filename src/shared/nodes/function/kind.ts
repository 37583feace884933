import type { JsonObject } from '../../domain/json.ts';
import {
  type CallQuota,
  hasQuota,
  queueOfCall,
  quotaFields,
  readCallQuota,
} from '../../domain/workflow/flow/call-quota.ts';
import { pointerTo } from '../../domain/workflow/problem.ts';
import { flag, ref, text } from '../../domain/workflow/schema/fields.ts';
import { enterWork } from '../enter-work.ts';
import { readName, readOutputSchema, readQueueName } from '../read-fields.ts';
import { readFlag } from '../read-flag.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface FunctionSpec extends CallQuota {
  readonly name: string;
  readonly outputSchema: JsonObject | null;
  readonly queueName: string | null;
  readonly countsSuspended: boolean;
  readonly isPinned: boolean;
}

const NAME = /^[A-Za-z0-9_.-]{1,256}$/;

/**
 * A durable function: code that a worker of queue `function` runs, with a journal of its steps. The
 * protocol is in `docs/reference/function-protocol.md`.
 */
export const functionKind: RunnableKind<FunctionSpec> = {
  type: 'function',
  aliases: [],
  fields: {
    name: text('The durable function that a worker runs.'),
    output_schema: ref('SchemaOrReference', 'The output must satisfy it.'),
    queue: text('The named queue that workers claim it from; the default queue without it.'),
    pinned: flag(
      'Whether only workers of the build that began a visit get its later turns. Default false.',
    ),
    ...quotaFields('this function'),
    count_suspended: flag(
      'Whether `node_timeout_secs` includes the time in which the function is suspended. Default true.',
    ),
  },
  leaf: true,
  toolLike: true,
  takesItsTime: true,

  parse(fields, at) {
    const name = readName(fields, 'name', at);
    const outputSchema = readOutputSchema(fields, at);
    const queueName = readQueueName(fields, at);
    const countsSuspended =
      (fields['count_suspended'] ?? null) === null || readFlag(fields, 'count_suspended', at);
    if (name === null) return null;
    if (!NAME.test(name)) {
      at.problem(pointerTo('name'), 'must be 1 to 256 letters, digits, "_", "." and "-"');
      return null;
    }
    const isPinned = readFlag(fields, 'pinned', at);
    const quota = readCallQuota(fields, at);
    return { name, outputSchema, queueName, countsSuspended, isPinned, ...quota };
  },

  writes: () => 'any',

  tool: (spec) => spec.name,
  outputSchema: (spec) => spec.outputSchema,
  queueName: (spec) => spec.queueName,
  countsSuspended: (spec) => spec.countsSuspended,
  isPinned: (spec) => spec.isPinned,
  hasQuota,
  queueOfCall: (spec, input) => queueOfCall({ ...spec, tool: spec.name }, input),

  enter(spec, context) {
    return enterWork({
      queue: 'function',
      call: { function: spec.name },
      context,
      queueOf: (input) => queueOfCall({ ...spec, tool: spec.name }, input),
    });
  },
};
