import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { CallableTool } from '../../domain/tools/callable-tool.ts';
import type { ToolCall, ToolDeps, ToolOutcome } from './tool-call.ts';

/** One call of a tool of an MCP server. The tool's error texts are not used. */
export async function callMcpTool(
  deps: Pick<ToolDeps, 'mcp'>,
  params: {
    readonly target: CallableTool['target'] & { readonly kind: 'mcp' };
    readonly name: string;
    readonly call: ToolCall;
  },
): Promise<ToolOutcome> {
  const { target, name, call } = params;
  const { tenantId, input, idempotencyKey, signal } = call;
  if (!isJsonObject(input)) {
    const error = `${name}: the input must be an object: MCP tools take named arguments`;
    return { ok: false, error, errorClass: 'invalid_input', final: true };
  }
  const answer = await deps.mcp.callTool({
    tenantId,
    server: { name: target.server, part: target.part },
    tool: target.tool,
    arguments: input,
    idempotencyKey,
    timeoutMs: TIMEOUT_MS,
    resultBytesMax: RESULT_BYTES_MAX,
    signal,
  });
  if (!answer.ok) return { ...answer, error: `${name}: ${answer.error}` };
  if (answer.isError) {
    return { ok: false, error: `${name}: the tool reported an error`, errorClass: 'tool_error' };
  }
  const output = answer.structured === undefined ? readContent(answer.content) : answer.structured;
  return { ok: true, output, statePatch: {} };
}

/** A single text is the answer, as JSON when it is; what else there is stays a list of blocks. */
function readContent(content: readonly JsonObject[]): JsonValue {
  const [first, ...others] = content;
  if (first === undefined) return null;
  if (others.length > 0 || first['type'] !== 'text') return content;
  const text = first['text'];
  return typeof text === 'string' ? parseText(text) : content;
}

function parseText(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** The node's own time limit ends a call earlier. */
const TIMEOUT_MS = 300_000;
const RESULT_BYTES_MAX = 1024 * 1024;
