import type { JsonValue } from '../../domain/json.ts';
import {
  hasQuota,
  queueOfEngineCall,
  quotaFields,
  readCallQuota,
} from '../../domain/workflow/flow/call-quota.ts';
import { warnOfUnknownServer } from '../../domain/workflow/parse/parse-tool-target.ts';
import { ref, text } from '../../domain/workflow/schema/fields.ts';
import { enterWork } from '../enter-work.ts';
import { readName, readOutputSchema } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createMcpToolRunner } from './run.ts';
import type { McpToolSpec } from './spec.ts';

/** A tool of an MCP server, of the workflow's `mcp_servers` or of the operator's. */
export const mcpToolKind: RunnableKind<McpToolSpec> = {
  type: 'mcp_tool',
  aliases: [],
  fields: {
    server: text('One of `mcp_servers` by name, or one of the operator.'),
    tool: text('The tool.'),
    output_schema: ref('SchemaOrReference', 'The output must satisfy it.'),
    ...quotaFields(),
  },
  leaf: true,
  toolLike: true,

  parse(fields, at) {
    const server = readName(fields, 'server', at);
    const tool = readName(fields, 'tool', at);
    const outputSchema = readOutputSchema(fields, at);
    const quota = readCallQuota(fields, at);
    if (server === null || tool === null) return null;
    const part = at.parts.mcpServers.get(server) ?? null;
    if (part === null) at.warn('unknown_server', '/server', warnOfUnknownServer(server));
    return {
      outputSchema,
      quota,
      tool: {
        name: `${server}.${tool}`,
        target: { kind: 'mcp', server, tool, part },
        inputSchema: null,
        outputSchemas: outputSchema === null ? [] : [outputSchema],
      },
    };
  },

  tool: (spec) => spec.tool.name,
  outputSchema: (spec) => spec.outputSchema,
  hasQuota: ({ quota }) => hasQuota(quota),
  queueOfCall: queueOf,

  runner: createMcpToolRunner,

  enter(spec, context) {
    const queue = (input: JsonValue) => queueOf(spec, input);
    return enterWork({ queue: 'engine', call: {}, context, queueOf: queue });
  },
};

function queueOf({ tool, quota }: McpToolSpec, input: JsonValue) {
  return queueOfEngineCall({ ...quota, tool: tool.name }, input);
}
