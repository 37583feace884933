import { conflict } from '../domain/errors.ts';
import { isTerminal } from '../domain/execution/status.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { JsonValue } from '../domain/json.ts';
import { changeExecution } from './change-execution.ts';
import { newEvent } from './commit-plan.ts';
import { emptyCommit } from '../store/commit.ts';
import type { EngineDeps } from './deps.ts';
import type { Actor, ExecutionRef } from './engine.ts';

/** Events nobody waits for stay in the state, so there is an end to them. */
const MAILBOX_MAX = 10_000;

interface EventAnswer {
  readonly executionId: ExecutionId;
  readonly accepted: boolean;
}

/** Records an external event: the open wait with its key takes it, else the next one with that key. */
export function deliverExternalEvent(
  deps: EngineDeps,
  params: ExecutionRef & Actor & { readonly correlationKey: string; readonly payload: JsonValue },
): Promise<EventAnswer> {
  const { correlationKey, payload } = params;
  return changeExecution<EventAnswer>(deps, {
    ...params,
    propose: (state, { row }) => {
      const { executionId } = row;
      if (isTerminal(row.status)) {
        return { commit: null, answer: { executionId, accepted: false } };
      }
      if (state.mailbox.length >= MAILBOX_MAX) {
        throw conflict(
          `execution ${executionId} has ${MAILBOX_MAX} external events that no wait has taken`,
        );
      }
      const awaited = state.live
        .values()
        .some(
          (visit) =>
            (visit.phase === 'event' || visit.phase === 'either') &&
            visit.correlationKey === correlationKey,
        );
      const received = newEvent(
        {
          kind: 'ExternalEventReceived',
          nodeId: null,
          payload: { correlation_key: correlationKey, payload },
        },
        params.actorId,
      );
      return {
        commit: {
          ...emptyCommit(row),
          expectedSequence: row.lastSequence,
          events: [received],
          status: awaited ? 'running' : null,
          runnable: 'mark',
        },
        answer: { executionId, accepted: true },
      };
    },
  });
}
