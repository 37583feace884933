import type { JsonObject } from '../../domain/json.ts';
import {
  type CallQuota,
  hasQuota,
  queueOfCall,
  quotaFields,
  readCallQuota,
} from '../../domain/workflow/flow/call-quota.ts';
import { ref, text } from '../../domain/workflow/schema/fields.ts';
import { enterWork } from '../enter-work.ts';
import { readName, readOutputSchema, readQueueName } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface PythonFnSpec extends CallQuota {
  readonly module: string;
  readonly function: string;
  readonly outputSchema: JsonObject | null;
  readonly queueName: string | null;
}

/** A function that a worker of queue `python_tool` calls. */
export const pythonFnKind: RunnableKind<PythonFnSpec> = {
  type: 'python_fn',
  aliases: ['python_tool'],
  fields: {
    module: text('The module.'),
    function: text('The function that a worker calls.'),
    output_schema: ref('SchemaOrReference', 'The output must satisfy it.'),
    queue: text('The named queue that workers claim it from; the default queue without it.'),
    ...quotaFields(),
  },
  leaf: true,
  toolLike: true,

  parse(fields, at) {
    const module = readName(fields, 'module', at);
    const name = readName(fields, 'function', at);
    const outputSchema = readOutputSchema(fields, at);
    const queueName = readQueueName(fields, at);
    const quota = readCallQuota(fields, at);
    if (module === null || name === null) return null;
    return { module, function: name, outputSchema, queueName, ...quota };
  },

  writes: () => 'any',

  tool: toolOf,
  outputSchema: (spec) => spec.outputSchema,
  queueName: (spec) => spec.queueName,
  hasQuota,
  queueOfCall: (spec, input) => queueOfCall({ ...spec, tool: toolOf(spec) }, input),

  enter(spec, context) {
    const call = { module: spec.module, function: spec.function };
    return enterWork({
      queue: 'python_tool',
      call,
      context,
      queueOf: (input) => queueOfCall({ ...spec, tool: toolOf(spec) }, input),
    });
  },
};

function toolOf(spec: PythonFnSpec): string {
  return `${spec.module}.${spec.function}`;
}
