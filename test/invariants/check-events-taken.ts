import { isDeepStrictEqual } from 'node:util';

import { byExecution } from './check-histories.ts';
import type { Dump, EventOf } from './dump.ts';
import type { Violation } from './violation.ts';

/** An external event is taken by one wait at most, which gets what was sent. */
export function checkEventsTaken(dump: Dump): Violation[] {
  return [...byExecution(dump).values()].flatMap((events) => {
    const taken = new Map<number, EventOf>();
    return events.flatMap((event) => {
      const { execution_id: execution, kind, payload } = event;
      const from = payload['event_sequence'];
      if (typeof from !== 'number') return [];
      const sent = events[from - 1];
      const first = taken.get(from);
      taken.set(from, event);
      const about = { execution, event: from, taken_in: event.sequence };
      const got = kind === 'NodeCompleted' ? payload['output'] : payload['payload'];
      const isIt =
        sent?.kind === 'ExternalEventReceived' &&
        from < event.sequence &&
        isDeepStrictEqual(sent.payload['payload'], got);
      return [
        ...(first === undefined
          ? []
          : [
              {
                rule: 'an external event is taken once',
                about,
                saw: `also in event ${first.sequence}`,
              },
            ]),
        ...(isIt
          ? []
          : [
              {
                rule: 'a wait gets what was sent',
                about,
                saw: `${JSON.stringify(got)} from ${sent?.kind ?? 'nothing'}`,
              },
            ]),
      ];
    });
  });
}
