import {
  createMcpHandler,
  INVALID_PARAMS,
  isSpecType,
  McpServer,
  METHOD_NOT_FOUND,
  type CallToolResult,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';

import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';
import type { ToolAnswer } from './call-tool.ts';
import type { ExtendMcp } from './extend-mcp.ts';
import { describeAnswer, describeArguments } from './tool-arguments.ts';
import { tools, type McpTool } from './tools.ts';

/**
 * Answers one message of the protocol. The SDK reads the revision from the message itself: 2026-07-28,
 * and for clients that say nothing of it those of 2025, each with a server of its own for this
 * message alone.
 */
export function answerMcp(params: {
  readonly request: Request;
  readonly message: JsonObject;
  readonly version: string;
  readonly callTool: (tool: McpTool, given: JsonObject) => Promise<ToolAnswer>;
  readonly extend: ExtendMcp;
  readonly onRefused: (error: Error) => void;
}): Promise<Response> {
  const { request, message, onRefused } = params;
  const isModern = (request.headers.get('mcp-protocol-version') ?? '') >= MODERN_REVISION;
  if (isModern && isUnknown(message)) {
    return Promise.resolve(Response.json(methodNotFound(message), { status: 404 }));
  }
  const misfit = findMisfit(message);
  if (misfit !== null) return Promise.resolve(Response.json(misfit));
  const handler = createMcpHandler(() => createServer(params), {
    onerror: onRefused,
    // However a subscription comes here, its stream must not outlive the answer.
    maxSubscriptions: 0,
  });
  return handler.fetch(request, { parsedBody: message });
}

/** From this one on there is no handshake. */
const MODERN_REVISION = '2026-07-28';

/**
 * Nothing here changes while a process runs, so there are no notifications. The SDK always knows
 * that method, and would report a request of an earlier revision as malformed instead of unknown.
 */
const UNKNOWN_TO_MODERN: readonly unknown[] = ['subscriptions/listen', 'initialize', 'ping'];

/** Whether a well-formed request of the revision names an unknown method. */
function isUnknown({ id, method, params }: JsonObject): boolean {
  const hasMeta = isJsonObject(params) && isJsonObject(params['_meta']);
  return UNKNOWN_TO_MODERN.includes(method) && isId(id) && hasMeta;
}

function methodNotFound({ id = null }: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
}

function isId(id: JsonValue | undefined): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

/**
 * Requests whose handlers are the SDK's own. It answers one that is malformed as an internal error,
 * with all that its schema says; of tool calls it says itself that their parameters are wrong.
 */
const OF_SDK: Readonly<Record<string, (value: unknown) => boolean>> = {
  initialize: isSpecType.InitializeRequest,
  ping: isSpecType.PingRequest,
  'tools/list': isSpecType.ListToolsRequest,
};

/** The answer to a request whose parameters do not fit its method; null: they do. */
function findMisfit({ id, method, ...rest }: JsonObject): JsonObject | null {
  if (typeof method !== 'string' || !isId(id)) return null;
  const fits = Object.hasOwn(OF_SDK, method) ? OF_SDK[method] : undefined;
  if (fits === undefined || fits({ id, method, ...rest })) return null;
  return {
    jsonrpc: '2.0',
    id,
    error: { code: INVALID_PARAMS, message: `Invalid ${method} request` },
  };
}

const INSTRUCTIONS =
  'A runtime that executes workflows durably. Find workflows with list_workflows, start one with ' +
  'start_execution, follow it with get_execution. An execution that is paused waits for a person ' +
  '(list_approvals, approve_execution) or for an event (send_external_event). recall_facts finds ' +
  'what was remembered for an agent or an end user.';

function createServer(params: {
  readonly version: string;
  readonly callTool: (tool: McpTool, given: JsonObject) => Promise<ToolAnswer>;
  readonly extend: ExtendMcp;
}): McpServer {
  const server = new McpServer(
    { name: 'svc', version: params.version },
    { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
  );
  for (const { tool, config } of described) {
    server.registerTool(tool.name, config, async (given) =>
      toResult(await params.callTool(tool, given as JsonObject)),
    );
  }
  params.extend(server);
  return server;
}

function toResult(answer: ToolAnswer): CallToolResult {
  if (!answer.ok) return { content: [{ type: 'text', text: answer.message }], isError: true };
  const text = JSON.stringify(answer.body);
  return { content: [{ type: 'text', text }], structuredContent: { ...answer.body } };
}

/** Worked out once for a process: a server is made for every message. */
const described = tools.map((tool) => {
  const { endpoint, idempotent = false, destructive = false } = tool;
  const isRead = tool.readOnly ?? endpoint.access === 'read';
  return {
    tool,
    config: {
      title: endpoint.summary,
      description: tool.description ?? [endpoint.summary, endpoint.note].filter(Boolean).join('. '),
      inputSchema: passThrough(describeArguments(tool)),
      outputSchema: passThrough(describeAnswer(tool)),
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: destructive,
        idempotentHint: isRead || idempotent,
        openWorldHint: false,
      },
    },
  };
});

/** A schema that is shown and lets everything through: the endpoint's own check follows. */
function passThrough(schema: JsonObject): StandardSchemaWithJSON {
  const show = () => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'svc',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: show, output: show },
    },
  };
}
