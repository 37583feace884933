import { Readable } from 'node:stream';

import { SvcError } from '../../shared/domain/errors.ts';
import type { JsonObject, JsonValue } from '../../shared/domain/json.ts';
import { admitRequest } from '../admit-request.ts';
import type { ApiContext, ServeRoute } from '../context.ts';
import type { EndpointDeps } from '../deps.ts';
import { asObject, type ReadJson } from '../middleware/body.ts';
import { refuseForeignPages } from '../middleware/foreign-pages.ts';
import { answerBatch } from './answer-batch.ts';
import { callTool, type ToolCaller } from './call-tool.ts';

export const MCP_PATH = '/mcp';

/**
 * The runtime as a server of the Model Context Protocol, over streamable HTTP and without sessions:
 * every request is independent, so any API process may answer it. Only POST is registered; the
 * methods that belong to sessions, GET and DELETE, get 405 like on any other route.
 *
 * Problems with the HTTP request are answered as everywhere in this API: 401, 403, 400, 413 and 415
 * with `{error}`. Everything after is JSON-RPC, and a refusal by a tool is a tool error.
 *
 * The SDK is loaded with the first request, so processes without MCP requests do not pay for it.
 */
export function serveMcp(params: {
  readonly deps: EndpointDeps;
  readonly readJson: ReadJson;
}): ServeRoute {
  const { deps, readJson } = params;
  return async (ctx) => {
    ctx.state.route = MCP_PATH;
    refuseForeignPages(ctx, { publicUrl: deps.publicUrl(), isOpen: !deps.settings.auth.enabled });
    const caller = toolCaller(ctx, deps);
    await caller.admit('read');
    const body = await readJson(ctx);
    const { answerMcp } = await import('./answer-mcp.ts');
    const answer = (message: JsonObject) =>
      answerMcp({
        request: toWebRequest(ctx, caller.abandoned),
        message,
        version: deps.version,
        callTool: (tool, given) => callTool({ tool, given, caller, deps }),
        extend: deps.extendMcp ?? (() => {}),
        onRefused: (error) => {
          deps.log.info({ request_id: ctx.state.requestId, err: error }, 'MCP message was refused');
        },
      });
    if (Array.isArray(body)) {
      const revision = ctx.get('MCP-Protocol-Version') || null;
      const messages = body as readonly JsonValue[];
      send(ctx, await answerBatch({ messages, revision, answer }));
    } else {
      send(ctx, await answer(asObject(body)));
    }
  };
}

function toolCaller(ctx: ApiContext, deps: EndpointDeps): ToolCaller {
  const left = new AbortController();
  ctx.res.once('close', () => left.abort());
  return {
    requestId: ctx.state.requestId,
    remoteAddress: ctx.req.socket.remoteAddress ?? 'unknown',
    abandoned: left.signal,
    admit: (access) => admitRequest({ ctx, deps, method: 'POST', access }),
  };
}

/** The SDK reads the headers and the method from it; it gets the parsed body separately. */
function toWebRequest(ctx: ApiContext, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(ctx.req.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  return new Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers, signal });
}

function send(ctx: ApiContext, response: Response): void {
  // The SDK's own bug, not what a tool did: that is a 200 with an error inside.
  if (response.status === 500) throw new SvcError('internal', 'answering an MCP message');
  for (const [name, value] of response.headers) ctx.set(name, value);
  ctx.set('Cache-Control', 'no-store');
  // Set explicitly, or Koa would derive a body from the status.
  ctx.body = response.body === null ? null : Readable.fromWeb(response.body);
  ctx.status = response.status;
}
