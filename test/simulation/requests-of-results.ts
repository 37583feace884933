import { shapePending, shapeResult } from '../../src/api/endpoints/executions/result-shape.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Caller } from '../../src/shared/engine/caller.ts';
import type { Awaited } from '../../src/shared/engine/executions/results/await-result.ts';
import type { StartExecution } from '../../src/shared/engine/executions/start-execution.ts';
import type { Served } from './cluster.ts';
import { CLIENT_TIMEOUT_MS, type Request } from './network.ts';
import type { Client } from './requests.ts';

/** See `GET /executions/:id/result`. */
export function askForResult(
  by: Client,
  { executionId, waitMs }: { readonly executionId: string; readonly waitMs: number },
): Request {
  return {
    ...by,
    asks: { do: 'result', executionId, waitMs },
    timeoutMs: waitMs + CLIENT_TIMEOUT_MS,
    serve: (engine) =>
      engine.watchWait({ executionId, waitMs }, async () =>
        answerOf(
          await engine.awaitResult({
            tenantId: by.tenantId as TenantId,
            executionId,
            ...waitingFor(waitMs),
          }),
        ),
      ),
  };
}

/** A start that waits for the end, see `POST /executions`. */
export function serveStartToEnd(
  engine: Served,
  of: { readonly caller: Caller; readonly start: StartExecution; readonly waitMs: number },
): Promise<{ status: number; body: JsonObject }> {
  const { caller, start, waitMs } = of;
  return engine.watchWait({ executionId: null, waitMs }, async () =>
    answerOf(await engine.startAndAwait({ ...caller, start, ...waitingFor(waitMs) })),
  );
}

function waitingFor(waitMs: number) {
  return { waitMs, withState: true, signal: new AbortController().signal };
}

function answerOf(awaited: Awaited): { status: number; body: JsonObject } {
  return 'ended' in awaited
    ? { status: 200, body: shapeResult(awaited.ended) as JsonObject }
    : { status: 202, body: shapePending(awaited.pending) };
}
