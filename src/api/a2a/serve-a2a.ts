import { Readable } from 'node:stream';

import type { Access } from '../../shared/domain/access.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import { admitRequest } from '../admit-request.ts';
import type { ServeRoute } from '../context.ts';
import type { EndpointDeps } from '../deps.ts';
import type { ReadBody } from '../middleware/body.ts';
import { discardRest } from '../middleware/discard-rest.ts';
import { sendJson } from '../send.ts';
import { refusalIn, watchBySignal } from '../watch-callers.ts';
import { findExposed } from './find-exposed.ts';
import { keepAlive } from './keep-alive.ts';
import { readRpcRequest } from './read-rpc-request.ts';
import { A2A_PATH, describeWorkflowAgent } from './workflow-agent-card.ts';

/** Operations that change nothing, under their names in A2A 1.0 and 0.3; all others write. */
const READING = [
  'GetTask',
  'SubscribeToTask',
  'ListTasks',
  'GetExtendedAgentCard',
  'tasks/get',
  'tasks/resubscribe',
  'agent/getAuthenticatedExtendedCard',
];

/** Operations that are answered by a stream, under their names in A2A 1.0 and 0.3. */
const STREAMING = [
  'SendStreamingMessage',
  'SubscribeToTask',
  'message/stream',
  'tasks/resubscribe',
];

/**
 * The runtime as a server of the Agent2Agent protocol, over JSON-RPC: every workflow that is
 * exposed is an agent, and its executions are that agent's tasks. It keeps nothing: tasks are read
 * from the executions, so any API process may answer, and a client that has lost its connection
 * finds its task on every one of them.
 *
 * Problems with the caller or the address are answered as everywhere in this API, as `{error}` with
 * a status. Problems with the body, and everything after it, are JSON-RPC. The SDK is loaded with
 * the first request.
 */
export function serveA2a(params: {
  readonly deps: EndpointDeps;
  readonly readBody: ReadBody;
}): ServeRoute {
  const { deps, readBody } = params;
  return async (ctx) => {
    ctx.state.route = A2A_PATH;
    const admit = (access: Access) => admitRequest({ ctx, deps, method: 'POST', access });
    const reader = await admit('read');
    const reading = await readRpcRequest(ctx, readBody);
    if (!reading.ok) {
      if (reading.status === 413) await discardRest(ctx.req);
      sendJson(ctx, reading);
      return;
    }
    const { request: message } = reading;
    const access = isReading(message) ? 'read' : 'write';
    const caller = access === 'read' ? reader : await admit(access);
    const { workflow_id: workflowId = '' } = ctx['params'] as { readonly workflow_id?: string };
    const workflow = await findExposed(deps.engine, caller, workflowId);
    if (isStreaming(message)) deps.streamLimit.enter(caller.identity, ctx.res);
    const { req, res } = ctx;
    const signal = watchBySignal(deps.callerWatches, {
      req,
      res,
      method: 'POST',
      access,
      caller,
    });
    const { answerA2a } = await import('./answer-a2a.ts');
    const answer = await answerA2a({
      engine: deps.engine,
      caller,
      workflow,
      publicUrl: deps.publicUrl(),
      card: describeWorkflowAgent({
        workflow,
        publicUrl: deps.publicUrl(),
        protected: deps.settings.auth.enabled,
      }),
      message,
      version: ctx.get('A2A-Version') || null,
      signal,
    });
    // The caller lost its access while the request waited for the task.
    const refusal = refusalIn(signal);
    if (refusal !== null && answer.kind === 'json') throw refusal;
    if (answer.kind === 'json') {
      sendJson(ctx, { status: 200, body: answer.body });
      return;
    }
    ctx.status = 200;
    ctx.type = 'text/event-stream';
    // Proxies must pass each event on as it comes.
    ctx.set('X-Accel-Buffering', 'no');
    const { requestId } = ctx.state;
    ctx.body = Readable.from(
      keepAlive(answer.events, {
        quietMs: deps.settings.streamHeartbeatMs,
        onFailure: (err) => deps.log.warn({ request_id: requestId, err }, 'A2A stream ended early'),
      }),
    );
  };
}

function isReading({ method }: JsonObject): boolean {
  return typeof method === 'string' && READING.includes(method);
}

function isStreaming({ method }: JsonObject): boolean {
  return typeof method === 'string' && STREAMING.includes(method);
}
