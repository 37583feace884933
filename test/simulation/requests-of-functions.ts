import type { JournalEntry } from '../../src/shared/domain/execution/function-events.ts';
import type { AskedWait } from '../../src/shared/engine/work/functions/suspend-function.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { Usage } from '../../src/shared/nodes/run.ts';
import type { Request } from './network.ts';
import type { Client, Held } from './requests.ts';

/** The requests that only workers of durable functions make. */

export interface Append extends Held {
  readonly expectedLength: number;
  readonly entries: readonly JournalEntry[];
}

/** See `POST /work-items/:id/steps`. */
export function askToRecord(by: Client, of: Append): Request {
  const { workItemId, fence, expectedLength, entries } = of;
  return {
    ...by,
    asks: { do: 'record', workItemId, fence, expectedLength, entries },
    serve: async (engine) => {
      const recorded = await engine.recordSteps({ ...refOf(by, of), ...appendOf(of) });
      const { length, exceeded } = recorded;
      return {
        body: {
          recorded: true,
          work_item_id: workItemId,
          length,
          ...(exceeded !== null && { budget_exceeded: { action: exceeded.action } }),
        },
      };
    },
  };
}

/** See `POST /work-items/:id/suspend`. */
export function askToSuspend(
  by: Client,
  of: Append & { readonly waits: readonly AskedWait[] },
): Request {
  const { workItemId, fence, expectedLength, entries, waits } = of;
  return {
    ...by,
    asks: { do: 'suspend', workItemId, fence, expectedLength, entries, waits },
    serve: async (engine) => {
      const answer = await engine.suspendFunction({
        ...refOf(by, of),
        ...appendOf(of),
        waits,
      });
      const resumed = answer.entries !== null;
      return {
        body: {
          suspended: !resumed,
          resumed,
          work_item_id: workItemId,
          length: answer.length,
          ...(answer.entries !== null && { entries: answer.entries }),
        },
      };
    },
  };
}

/** See `POST /work-items/:id/continue`. */
export function askToContinue(by: Client, of: Append & { readonly input: JsonObject }): Request {
  const { workItemId, fence, expectedLength, entries, input } = of;
  return {
    ...by,
    asks: { do: 'continue', workItemId, fence, expectedLength, entries, input },
    serve: async (engine) => {
      await engine.continueFunction({ ...refOf(by, of), ...appendOf(of), input });
      return { body: { continued: true, work_item_id: workItemId } };
    },
  };
}

export function askToCompleteTurn(
  by: Client,
  of: Append & { readonly output: JsonObject; readonly usage?: Usage | null },
): Request {
  const { workItemId, fence, key, entries, output, usage = null } = of;
  return {
    ...by,
    asks: { do: 'complete', workItemId, fence, key, output, entries },
    serve: async (engine) => {
      await engine.completeWorkItem({ ...completionOf(by, of), output, usage });
      return { body: { completed: true, work_item_id: workItemId } };
    },
  };
}

/** The output is ignored. */
export function askToCompleteRollback(by: Client, of: Append): Request {
  const { workItemId, fence, entries } = of;
  return {
    ...by,
    asks: { do: 'complete_rollback', workItemId, fence, entries },
    serve: async (engine) => {
      await engine.completeWorkItem({ ...completionOf(by, of), output: { rolled: 'back' } });
      return { body: { completed: true, work_item_id: workItemId } };
    },
  };
}

export function askToFailTurn(
  by: Client,
  of: Append & { readonly isFinal: boolean; readonly usage?: Usage | null },
): Request {
  const { workItemId, fence, entries, isFinal, usage = null } = of;
  return {
    ...by,
    asks: { do: 'fail', workItemId, fence, entries },
    serve: async (engine) => {
      await engine.failWorkItem({
        ...refOf(by, of),
        ...appendOf(of),
        ...NOWHERE,
        error: 'it broke',
        errorClass: 'error',
        usage,
        isFinal,
      });
      return { body: { failed: true, work_item_id: workItemId } };
    },
  };
}

const NOWHERE = { executionId: null, nodeId: null };

function refOf({ tenantId }: Client, { workItemId, fence }: Held) {
  return { tenantId: tenantId as TenantId, workItemId, leaseFence: fence };
}

function appendOf({ expectedLength, entries }: Append) {
  return { expectedLength, entries };
}

function completionOf(by: Client, of: Append) {
  return {
    ...refOf(by, of),
    ...appendOf(of),
    ...NOWHERE,
    idempotencyKey: of.key,
    statePatch: {},
    durationMs: null,
    genAiModel: null,
    finishReason: null,
    usage: null,
  };
}
