import type { Access } from '../../shared/domain/access.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import type { EndpointDeps } from '../deps.ts';
import type { ApiRequest, Caller } from '../endpoint.ts';
import { messageFor, translate } from '../middleware/errors.ts';
import { readArguments } from './tool-arguments.ts';
import type { McpTool } from './tools.ts';

/** The caller of a tool, from the HTTP request. */
export interface ToolCaller {
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Aborted when the caller goes away. */
  readonly abandoned: AbortSignal;
  /** Throws 401 or 403 like a route with this access does. */
  admit(access: Access): Promise<Caller>;
}

export type ToolAnswer =
  | { readonly ok: true; readonly body: JsonObject }
  | { readonly ok: false; readonly message: string };

/**
 * Calls the endpoint behind a tool: the same check of access, the same schemas, the same use case,
 * the same messages. An error is the tool's answer, so that a model can read it and correct itself;
 * for a bug the answer contains only the id of the request.
 */
export async function callTool(params: {
  readonly tool: McpTool;
  readonly given: JsonObject;
  readonly caller: ToolCaller;
  readonly deps: EndpointDeps;
}): Promise<ToolAnswer> {
  const { tool, caller, deps } = params;
  try {
    const request = await readRequest(params);
    const { body } = await tool.endpoint.handle(request, deps);
    return { ok: true, body: body as JsonObject };
  } catch (error) {
    const expected = translate(error);
    if (expected.status >= 500) {
      const fields = { request_id: caller.requestId, tool: tool.name, err: error };
      deps.log[expected.status === 500 ? 'error' : 'warn'](fields, 'tool call failed');
    }
    return { ok: false, message: messageFor(expected, caller.requestId) };
  }
}

async function readRequest(params: {
  readonly tool: McpTool;
  readonly given: JsonObject;
  readonly caller: ToolCaller;
  readonly deps: EndpointDeps;
}): Promise<ApiRequest<unknown, unknown, unknown>> {
  const { tool, given, caller, deps } = params;
  const admitted = await caller.admit(tool.endpoint.access);
  const { headers, ...parts } = readArguments(tool, given);
  const abandoned = () => AbortSignal.any([caller.abandoned, deps.draining]);
  return {
    ...parts,
    caller: admitted,
    requestId: caller.requestId,
    remoteAddress: caller.remoteAddress,
    header: (name) => headers.get(name.toLowerCase()),
    content: () => {
      throw new Error(`${tool.name} has no content beside its arguments`);
    },
    prefersEventStream: () => false,
    abandoned,
    watch: () => {
      throw new Error(`${tool.name} streams nothing`);
    },
    waitForResult: abandoned,
    gone: () => caller.abandoned,
  };
}
