import type { ExecutionId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { Caller, ExecutionRef } from '../caller.ts';
import { conflict } from '../../domain/errors.ts';
import { isPausedByOperator, type LiveVisit } from '../../domain/execution/state.ts';
import { isTerminal } from '../../domain/execution/status.ts';
import { keepCompanionEntry } from '../audit/keep-companion-entry.ts';
import { holdReferences } from '../artifacts/hold-references.ts';
import { changeExecution } from '../commit/change-execution.ts';
import { newEvent } from '../commit/commit-plan.ts';
import { emptyCommit } from '../../store/commit.ts';
import type { EngineDeps } from '../deps.ts';

export interface ExternalEvent {
  readonly correlationKey: string;
  readonly payload: JsonValue;
  /** Delivers only while this is the last sequence; absent: at any sequence. */
  readonly atSequence?: number;
}

export interface ExternalEventAnswer {
  readonly executionId: ExecutionId;
  readonly accepted: boolean;
  /** Not delivered, as the execution was no longer at `atSequence`. */
  readonly moved?: true;
}

/** Events nobody waits for stay in the state, so there is an end to them. */
const MAILBOX_MAX = 10_000;

/** Records an external event: the open wait with its key takes it, else the next one with that key. */
export async function deliverExternalEvent(
  deps: EngineDeps,
  caller: Caller,
  params: ExecutionRef & ExternalEvent,
): Promise<ExternalEventAnswer> {
  const { tenantId, actorId } = caller;
  const { correlationKey, payload, atSequence } = params;
  await holdReferences(deps.store.artifacts, {
    tenantId,
    json: JSON.stringify(payload),
    values: [payload],
    what: 'the payload',
  });
  return changeExecution<ExternalEventAnswer>(deps, {
    tenantId,
    executionId: params.executionId,
    propose: async (state, { row }) => {
      const { executionId } = row;
      if (isTerminal(row.status)) {
        const accepted = await keepCompanionEntry(deps, { row, payload, actorId });
        return { commit: null, answer: { executionId, accepted } };
      }
      if (atSequence !== undefined && row.lastSequence !== atSequence) {
        return { commit: null, answer: { executionId, accepted: false, moved: true } };
      }
      if (state.mailbox.length >= MAILBOX_MAX) {
        throw conflict(
          `execution ${executionId} has ${MAILBOX_MAX} external events that no wait has taken`,
        );
      }
      const awaited = state.live.values().some((visit) => awaits(visit, correlationKey));
      const received = newEvent(
        {
          kind: 'ExternalEventReceived',
          nodeId: null,
          payload: { correlation_key: correlationKey, payload },
        },
        actorId,
      );
      return {
        commit: {
          ...emptyCommit(row),
          expectedSequence: row.lastSequence,
          events: [received],
          status: awaited && !isPausedByOperator(state) ? 'running' : null,
          runnable: 'mark',
        },
        answer: { executionId, accepted: true },
      };
    },
  });
}

function awaits({ phase, run, correlationKey }: LiveVisit, key: string): boolean {
  switch (phase) {
    case 'event':
    case 'either':
      return correlationKey === key;
    case 'suspended':
      return run?.waits.some((wait) => wait.correlationKey === key) ?? false;
    default:
      return false;
  }
}
