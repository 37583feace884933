import { isDeepStrictEqual } from 'node:util';

import { byExecution } from './check-histories.ts';
import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import type { Dump, EventOf } from '../dump.ts';
import type { Violation } from '../violation.ts';

/** At most one wait takes an external event, and it gets the sent payload. */
export function checkEventsTaken(dump: Dump): Violation[] {
  return [...byExecution(dump).values()].flatMap((events) => {
    const taken = new Map<number, EventOf>();
    return events.flatMap(takingsIn).flatMap(({ event, from, got }) => {
      const { execution_id: execution } = event;
      const sent = from < 0 ? carriedAs(events[0], from) : sentIn(events[from - 1]);
      const first = taken.get(from);
      taken.set(from, event);
      const about = { execution, event: from, taken_in: event.sequence };
      const isIt =
        sent !== undefined && from < event.sequence && isDeepStrictEqual(sent.payload, got);
      return [
        ...(first === undefined
          ? []
          : [
              {
                rule: 'at most one wait takes an external event',
                about,
                saw: `also in event ${first.sequence}`,
              },
            ]),
        ...(isIt
          ? []
          : [
              {
                rule: 'a wait gets the sent payload',
                about,
                saw: `${JSON.stringify(got)}, sent was ${JSON.stringify(sent?.payload)}`,
              },
            ]),
      ];
    });
  });
}

interface Taking {
  readonly event: EventOf;
  /** The sequence of the event. */
  readonly from: number;
  readonly got: JsonValue | undefined;
}

/** Events that the wait of a node took, or the waits of a durable function. */
export function takingsIn(event: EventOf): readonly Taking[] {
  const { kind, payload } = event;
  const entries = kind === 'StepRecorded' ? payload['entries'] : null;
  const takers = Array.isArray(entries) ? entries.filter(isJsonObject) : [payload];
  return takers.flatMap((taker) => {
    const from = taker['event_sequence'];
    const got = kind === 'NodeCompleted' || taker !== payload ? taker['output'] : taker['payload'];
    return typeof from === 'number' ? [{ event, from, got }] : [];
  });
}

interface Sent {
  readonly payload: JsonValue | undefined;
}

function sentIn(event: EventOf | undefined): Sent | undefined {
  if (event?.kind !== 'ExternalEventReceived') return undefined;
  return { payload: event.payload['payload'] };
}

/** Events that no wait had taken in the execution before. The last of them is -1. */
function carriedAs(first: EventOf | undefined, from: number): Sent | undefined {
  const carried = first?.payload['carried'];
  const mailbox = isJsonObject(carried) ? carried['mailbox'] : null;
  const sent: JsonValue | undefined = Array.isArray(mailbox) ? mailbox.at(from) : undefined;
  return isJsonObject(sent) ? { payload: sent['payload'] } : undefined;
}
