import type { UseCaseDeps } from '../../shared/engine/use-case-deps.ts';
import { AgentCard, formatSSEErrorEvent, formatSSEEvent } from '@a2a-js/sdk';
import { A2AError, RequestMalformedError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';

import type { JsonObject } from '../../shared/domain/json.ts';
import type { Caller } from '../endpoint.ts';
import { createAgentTasks } from './agent-tasks.ts';
import type { AgentWorkflow } from './find-exposed.ts';
import { refusalIn } from '../watch-callers.ts';
import { handleRequests } from './handle-requests.ts';
import { idOf } from './read-rpc-request.ts';
import { shapeTasks } from './shape-task.ts';

export type A2aAnswer =
  | { readonly kind: 'json'; readonly body: object }
  /** The text of one server-sent event after the other. */
  | { readonly kind: 'stream'; readonly events: AsyncGenerator<string, void, undefined> };

const LEGACY_VERSION = '0.3';
const INTERNAL_ERROR = -32603;

/**
 * Answers one message of the protocol, in the version that the client names; one that names none
 * speaks 0.3, which has no header for it. Rejects with what is no error of the protocol: a limit of
 * the tenant, a database that is away, a bug.
 */
export async function answerA2a(params: {
  readonly engine: UseCaseDeps;
  readonly caller: Caller;
  readonly workflow: AgentWorkflow;
  readonly publicUrl: string;
  readonly card: JsonObject;
  readonly message: JsonObject;
  /** The value of the header A2A-Version; null: absent. */
  readonly version: string | null;
  readonly signal: AbortSignal;
}): Promise<A2aAnswer> {
  const { engine, caller, workflow, publicUrl, message, signal } = params;
  const context = new ServerCallContext({ requestedVersion: params.version ?? LEGACY_VERSION });
  const isLegacy = context.requestedVersion === LEGACY_VERSION;
  const toError = (error: unknown) => ({
    jsonrpc: '2.0',
    id: idOf(message),
    error: isLegacy
      ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
      : JsonRpcTransportHandler.mapToJSONRPCError(error),
  });
  const card = AgentCard.fromJSON(params.card);
  try {
    validateVersion(context.requestedVersion, card, 'JSONRPC');
  } catch (error) {
    if (error instanceof VersionNotSupportedError) return { kind: 'json', body: toError(error) };
    throw error;
  }
  const failures: unknown[] = [];
  const handler = handleRequests({
    card,
    tasks: createAgentTasks({ engine, caller, workflowId: workflow.workflowId }),
    following: { engine, caller, signal },
    shape: shapeTasks({ result: workflow.result, publicUrl }),
    inputModes: workflow.inputModes,
    onFailure: (error) => failures.push(error),
  });
  const transport = isLegacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const answer = await transport.handle(message, context);
  if (failures.length > 0) throw failures[0];
  if (!(Symbol.asyncIterator in answer)) {
    // The service's own errors are in `failures`, so this one is the SDK's, about the parameters.
    const body = isInternal(answer)
      ? toError(new RequestMalformedError('the parameters do not fit the method'))
      : answer;
    return { kind: 'json', body };
  }
  return open(answer, { toError, signal });
}

function isInternal(answer: object): boolean {
  const { error } = answer as { readonly error?: { readonly code?: unknown } };
  return error?.code === INTERNAL_ERROR;
}

/** An error before the first event is answered like that of any other request. */
async function open(
  results: AsyncGenerator<object, void, undefined>,
  stream: StreamEnd,
): Promise<A2aAnswer> {
  try {
    const first = await results.next();
    return { kind: 'stream', events: toEvents(first, results, stream) };
  } catch (error) {
    if (error instanceof A2AError) return { kind: 'json', body: stream.toError(error) };
    throw error;
  }
}

interface StreamEnd {
  readonly toError: (error: unknown) => object;
  readonly signal: AbortSignal;
}

async function* toEvents(
  first: IteratorResult<object, void>,
  results: AsyncGenerator<object, void, undefined>,
  { toError, signal }: StreamEnd,
): AsyncGenerator<string, void, undefined> {
  try {
    let next = first;
    while (next.done !== true) {
      yield formatSSEEvent(next.value);
      next = await results.next();
    }
    const refusal = refusalIn(signal);
    if (refusal !== null) yield formatSSEErrorEvent(toError(new A2AError(refusal.message)));
  } catch (error) {
    // Clients come again: by a subscription to the task, or by the same message.
    const told = error instanceof A2AError ? error : new A2AError('the stream ended early');
    yield formatSSEErrorEvent(toError(told));
    if (told !== error) throw error;
  } finally {
    await results.return();
  }
}
