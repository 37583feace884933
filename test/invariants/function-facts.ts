import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import { textIn, type EventOf } from './dump.ts';
import { visitOf } from './fold-history.ts';

/** A wait of a function, as its suspension opened it. */
export interface OpenWait {
  readonly identity: string;
  readonly kind: string;
  /** The correlation key of the awaited event; empty for other waits. */
  readonly key: string;
  readonly childId: string;
  /** Why the child could not be started; null: it could. */
  readonly error: JsonValue;
}

/** The facts that can satisfy waits. */
export interface Facts {
  note(event: EventOf): void;
  /** Whether the noted facts justify this entry as the result of the wait. */
  satisfies(by: EventOf, of: { readonly wait: OpenWait; readonly entry: JsonObject }): boolean;
}

export function createFacts(story: readonly EventOf[]): Facts {
  const fired = new Set<string>();
  const answers = new Map<string, JsonValue>();
  const nameOf = (event: EventOf, step: string): string => `${visitOf(event)} ${step}`;

  function answerIn({ kind, payload }: EventOf): JsonObject | null {
    switch (kind) {
      case 'ApprovalReceived': {
        const { decision, user_id: by = null, comment = null } = payload;
        const approved = decision === 'approved';
        const said = comment === null ? {} : { comment };
        return { output: { approved, decided_by: by, ...said } };
      }
      case 'ChildWorkflowCompleted':
        return { output: payload['output'] ?? null };
      case 'ChildWorkflowFailed': {
        const { error = '', error_class: errorClass = '' } = payload;
        return { error: { message: error, class: errorClass } };
      }
      default:
        return null;
    }
  }

  return {
    note: (event) => {
      const step = textIn(event.payload, 'step');
      if (step === '') return;
      const name = nameOf(event, step);
      if (event.kind === 'TimerFired') fired.add(name);
      const answer = answerIn(event);
      // The first answer counts.
      if (answer !== null && !answers.has(name)) answers.set(name, answer);
    },
    satisfies: (by, { wait, entry }) => {
      const { output, error } = entry;
      const name = nameOf(by, wait.identity);
      const isTimeout = isJsonObject(error) && error['class'] === 'timeout';
      const isFired = fired.has(name);
      switch (wait.kind) {
        case 'timer':
          return isFired && output === null;
        case 'event':
          if (isTimeout) return isFired;
          return isSent(story, { by, wait, entry });
        case 'approval':
          if (isTimeout) return isFired;
          return isAnswer(answers.get(name), entry);
        default:
          if (wait.error !== null) return isDeepStrictEqual(error, wait.error);
          return isAnswer(answers.get(name), entry);
      }
    },
  };
}

function isAnswer(answer: JsonValue | undefined, { output, error }: JsonObject): boolean {
  const given = error === undefined ? { output: output ?? null } : { error };
  return isDeepStrictEqual(answer, given);
}

function isSent(
  story: readonly EventOf[],
  of: { readonly by: EventOf; readonly wait: OpenWait; readonly entry: JsonObject },
): boolean {
  const from = of.entry['event_sequence'];
  if (typeof from !== 'number' || from >= of.by.sequence) return false;
  // The first event carries those that were sent to an earlier execution.
  const sent = from < 0 ? carriedAs(story[0], from) : sentIn(story[from - 1]);
  return (
    sent !== null &&
    sent['correlation_key'] === of.wait.key &&
    isDeepStrictEqual(sent['payload'], of.entry['output'])
  );
}

function sentIn(event: EventOf | undefined): JsonObject | null {
  return event?.kind === 'ExternalEventReceived' ? event.payload : null;
}

function carriedAs(first: EventOf | undefined, from: number): JsonObject | null {
  const carried = first?.payload['carried'];
  const mailbox = isJsonObject(carried) ? carried['mailbox'] : null;
  const sent: JsonValue | undefined = Array.isArray(mailbox) ? mailbox.at(from) : undefined;
  return isJsonObject(sent) ? sent : null;
}
