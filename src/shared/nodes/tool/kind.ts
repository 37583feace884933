import type { JsonValue } from '../../domain/json.ts';
import { callableTool } from '../../domain/tools/callable-tool.ts';
import { toolNames } from '../../domain/tools/tool-names.ts';
import { hasQuota, queueOfCall, queueOfEngineCall } from '../../domain/workflow/flow/call-quota.ts';
import { ref, text } from '../../domain/workflow/schema/fields.ts';
import { enterWork } from '../enter-work.ts';
import { readName, readOutputSchema } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createToolRunner } from './run.ts';
import type { ToolSpec } from './spec.ts';

/** A tool of the workflow's `tools`: called over HTTP or MCP by the engine, or by a Python worker. */
export const toolKind: RunnableKind<ToolSpec> = {
  type: 'tool',
  aliases: [],
  fields: {
    tool_ref: text('One of `tools`, by name.'),
    output_schema: ref('SchemaOrReference', 'The output must satisfy it.'),
  },
  leaf: true,
  toolLike: true,

  parse(fields, at) {
    const ref = readName(fields, 'tool_ref', at);
    const outputSchema = readOutputSchema(fields, at);
    if (ref === null) return null;
    const part = at.parts.tools.get(ref);
    if (part === undefined) {
      // An invalid value has already been reported at its place.
      at.problem('/tool_ref', `no tool ${JSON.stringify(ref)} that can be called is in tools`);
      return null;
    }
    const { target, quota } = part;
    const names = toolNames(ref, target);
    if (target.kind === 'python') {
      const { module, function: name } = target;
      const does = { kind: 'python', module, function: name } as const;
      return { ref, names, does, quota, outputSchema: outputSchema ?? part.outputSchema };
    }
    const tool = callableTool(part);
    if (tool === null) return null;
    const outputSchemas = [...tool.outputSchemas, ...(outputSchema === null ? [] : [outputSchema])];
    const does = { kind: 'call', tool: { ...tool, outputSchemas } } as const;
    return { ref, names, does, quota, outputSchema };
  },

  tool: (spec) => spec.ref,
  toolAliases: ({ names: [, ...aliases] }) => aliases,
  outputSchema: (spec) => spec.outputSchema,
  hasQuota: ({ quota }) => hasQuota(quota),
  queueOfCall: queueOf,

  writes: ({ does }) => (does.kind === 'python' ? 'any' : []),

  runner: createToolRunner,

  enter(spec, context) {
    const { ref, does } = spec;
    const queue = (input: JsonValue) => queueOf(spec, input);
    if (does.kind === 'call')
      return enterWork({ queue: 'engine', call: {}, context, queueOf: queue });
    const call = { module: does.module, function: does.function, tool_ref: ref };
    return enterWork({ queue: 'python_tool', call, context, queueOf: queue });
  },
};

/**
 * Limits count calls by the name of what is called: so nodes of other kinds share them. A target
 * without a name goes by that of the author.
 */
function queueOf({ names, does, quota }: ToolSpec, input: JsonValue) {
  const call = { ...quota, tool: names[1] ?? names[0] };
  return does.kind === 'python'
    ? queueOfCall({ ...call, queueName: null }, input)
    : queueOfEngineCall(call, input);
}
