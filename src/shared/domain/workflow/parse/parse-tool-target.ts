import type { JsonObject } from '../../json.ts';
import { parseHttpTool } from '../../tools/http-tool.ts';
import type { McpServerPart, ToolTarget } from './parts.ts';
import type { WarningCode } from '../problem.ts';

/** Reads what a tool calls; null: it cannot be called, which has been reported. */
export function parseToolTarget(params: {
  readonly kind: ToolTarget['kind'];
  readonly reference: string;
  readonly entry: {
    readonly fields: JsonObject;
    readonly pointer: string;
    problem(field: string, message: string): void;
    warn(code: WarningCode, field: string, message: string): void;
    problemAt(pointer: string, message: string): void;
  };
  readonly mcpServers: ReadonlyMap<string, McpServerPart>;
}): ToolTarget | null {
  const { kind, reference, entry, mcpServers } = params;
  switch (kind) {
    case 'http': {
      const http = parseHttpTool(entry.fields, (at, message) => entry.problemAt(at, message));
      return http === null ? null : { kind, http };
    }
    case 'python': {
      const [module = '', name = '', ...others] = reference.split(':');
      if (module !== '' && name !== '' && others.length === 0) {
        if ((entry.fields['input_schema'] ?? null) !== null) {
          entry.warn(
            'without_effect',
            'input_schema',
            'is not checked: a worker is given the input as it is',
          );
        }
        return { kind, module, function: name };
      }
      entry.problem('reference', 'must be module:function');
      return null;
    }
    case 'mcp': {
      const [, server, tool] = /^([^/]+)\/(.+)$/s.exec(reference) ?? [];
      if (server === undefined || tool === undefined) {
        entry.problem('reference', 'must be server/tool');
        return null;
      }
      const part = mcpServers.get(server) ?? null;
      if (part === null) entry.warn('unknown_server', 'reference', warnOfUnknownServer(server));
      return { kind, server, tool, part };
    }
  }
}

export function warnOfUnknownServer(server: string): string {
  return (
    `${JSON.stringify(server)} is not among mcp_servers: ` +
    'the node fails unless the operator has configured an MCP server of that name'
  );
}
