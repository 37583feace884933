import { isDeepStrictEqual } from 'node:util';

import { isJsonObject } from '../../src/shared/domain/json.ts';
import type { Dump } from '../invariants/dump.ts';
import { foldFunctions } from '../invariants/fold-functions.ts';
import { visitOf } from '../invariants/fold-history.ts';
import { byExecution } from '../invariants/checks/check-histories.ts';
import { violations, type Violation } from '../invariants/violation.ts';
import { nextOf, programOf, WELL_AFTER } from './function-programs.ts';

/** A replay of the journal gives the recorded output, or the recorded input of the next visit. */
export function checkReplays(dump: Dump | undefined, programs: string): Violation[] {
  if (dump === undefined) return [];
  const ended = [...byExecution(dump).values()].flatMap((story) => {
    const { visits } = foldFunctions(story);
    const started = story[0]?.payload['input'] ?? null;
    return story.flatMap((event) => {
      const visit = event.kind in DONE_BY ? visits.get(visitOf(event)) : undefined;
      return visit === undefined ? [] : [{ event, visit, input: visit.input ?? started }];
    });
  });
  return violations('a journal replays to the recorded output', ended, (of) => {
    const { event, visit, input } = of;
    const program = programOf(programs, { input, nodeId: event.node_id ?? '' });
    const journal = visit.entries.map(({ entry }) => entry);
    const next = nextOf(program, journal, WELL_AFTER);
    const { output, input: passed } = event.payload;
    const given = event.kind === 'NodeCompleted' ? output : passed;
    const seen = isJsonObject(given) ? given['seen'] : null;
    if (next.do === DONE_BY[event.kind] && isDeepStrictEqual(next.seen, seen)) return null;
    return {
      about: { execution: event.execution_id, sequence: event.sequence },
      saw: `${JSON.stringify(seen)}, replayed it is ${JSON.stringify(next)}`,
    };
  });
}

const DONE_BY: Readonly<Record<string, 'complete' | 'continue'>> = {
  NodeCompleted: 'complete',
  NodeContinuedAsNew: 'continue',
};
