import type { McpAnswer, McpCaller, McpToolCall } from '../../ports/mcp.ts';
import { describeFailure, type Failure } from './describe-failure.ts';
import { openSession, type SessionDeps } from './open-session.ts';
import { readResult } from './read-result.ts';
import { resolveServer, type ServerRules } from './resolve-server.ts';
import { createSessions, type HeldSession } from './sessions.ts';

export interface McpClients extends McpCaller {
  /** Ends all sessions and the processes behind them. Calls under way fail. */
  close(): Promise<void>;
}

/**
 * Calls tools over the official SDK. Sessions are kept for a while between calls, one for each server
 * and tenant, so that no server learns of one tenant through another's session.
 *
 * A call that finds its session gone before its request is repeated once on a new one, because
 * servers forget sessions when they restart. Any later failure is a failed attempt.
 */
export function createMcpCaller(options: ServerRules & SessionDeps & SessionLimits): McpClients {
  const sessions = createSessions(options);
  const call = async (params: McpToolCall, isRetry: boolean): Promise<McpAnswer> => {
    const resolved = resolveServer(params.server, params.tenantId, options);
    if (!resolved.ok) return { ...resolved, final: true };
    const key = JSON.stringify([params.tenantId, params.server]);
    const { timeoutMs } = params;
    let held: HeldSession;
    try {
      held = await sessions.hold(key, params.signal, (handlers) =>
        openSession(resolved.server, { ...options, ...handlers, timeoutMs: CONNECT_TIMEOUT_MS }),
      );
    } catch (error) {
      return toAnswer(describeFailure(error, { when: 'connecting' }), params);
    }
    try {
      const result = await held.session.client.callTool(
        {
          name: params.tool,
          arguments: params.arguments,
          _meta: { [IDEMPOTENCY_KEY]: params.idempotencyKey },
        },
        { signal: AbortSignal.any([params.signal, held.broken]), timeout: timeoutMs },
      );
      return readResult(result, {
        bytesMax: params.resultBytesMax,
        secrets: held.session.secrets,
      });
    } catch (error) {
      const cause: unknown = held.broken.aborted ? held.broken.reason : error;
      const failure = describeFailure(cause, { when: 'calling' });
      if (failure.sessionIsGone) held.drop();
      if (failure.nothingWasDone && held.wasReused && !isRetry) return await call(params, true);
      return toAnswer(failure, params);
    } finally {
      held.release();
    }
  };
  return { callTool: (params) => call(params, false), close: () => sessions.close() };
}

export interface SessionLimits {
  /** A session without calls for this long is closed; default 60 s. */
  readonly idleMs?: number;
  /** Default 64. */
  readonly sessionsMax?: number;
}

function toAnswer(failure: Failure, { server, tool, signal }: McpToolCall): McpAnswer {
  const { what, errorClass, final, retryAfterMs } = failure;
  const error = signal.aborted
    ? 'the call was given up'
    : `the MCP server ${JSON.stringify(server.name)} ${what.replace('TOOL', JSON.stringify(tool))}`;
  return {
    ok: false,
    error,
    errorClass,
    ...(final === true && { final }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

const CONNECT_TIMEOUT_MS = 30_000;
/** Keys of `_meta` carry a prefix of their author. */
const IDEMPOTENCY_KEY = 'svc/idempotency-key';
