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

interface JavaFnSpec extends CallQuota {
  readonly className: string;
  readonly method: string;
  readonly outputSchema: JsonObject | null;
  readonly queueName: string | null;
}

/** A method that a worker of queue `java_tool` calls; `module` and `function` say the same. */
export const javaFnKind: RunnableKind<JavaFnSpec> = {
  type: 'java_fn',
  aliases: ['java_tool'],
  fields: {
    class_name: text('The class.'),
    method: text('The method that a worker calls.'),
    module: text('The same as `class_name`.'),
    function: text('The same as `method`.'),
    output_schema: ref('SchemaOrReference', 'The output must satisfy it.'),
    queue: text('The named queue that workers claim it from; the default queue without it.'),
    ...quotaFields(),
  },
  leaf: true,
  toolLike: true,

  parse(fields, at) {
    const className = readName(fields, eitherName(fields, 'class_name', 'module'), at);
    const method = readName(fields, eitherName(fields, 'method', 'function'), at);
    const outputSchema = readOutputSchema(fields, at);
    const queueName = readQueueName(fields, at);
    const quota = readCallQuota(fields, at);
    if (className === null || method === null) return null;
    return { className, method, outputSchema, queueName, ...quota };
  },

  tool: toolOf,
  outputSchema: (spec) => spec.outputSchema,
  queueName: (spec) => spec.queueName,
  hasQuota,
  queueOfCall: (spec, input) => queueOfCall({ ...spec, tool: toolOf(spec) }, input),

  writes: () => 'any',

  /** The payload carries both pairs of names: the contract's, and Java's own. */
  enter(spec, context) {
    const { className, method } = spec;
    const call = { module: className, function: method, class: className, method };
    return enterWork({
      queue: 'java_tool',
      call,
      context,
      queueOf: (input) => queueOfCall({ ...spec, tool: toolOf(spec) }, input),
    });
  },
};

function eitherName(fields: JsonObject, name: string, other: string): string {
  return (fields[name] ?? '') === '' && (fields[other] ?? '') !== '' ? other : name;
}

function toolOf(spec: JavaFnSpec): string {
  return `${spec.className}.${spec.method}`;
}
