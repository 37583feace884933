import { isDeepStrictEqual } from 'node:util';

import { isJsonObject } from '../../src/shared/domain/json.ts';
import type { Dump } from '../invariants/dump.ts';
import { foldFunctions } from '../invariants/fold-functions.ts';
import { visitOf } from '../invariants/fold-history.ts';
import { byExecution } from '../invariants/checks/check-histories.ts';
import { violations, type Violation } from '../invariants/violation.ts';
import { nextOf, WELL_AFTER } from './function-programs.ts';
import { programOf } from './function-workers.ts';

/** Whoever runs a function again on its journal comes to the output on record. */
export function checkReplays(dump: Dump | undefined, programs: string): Violation[] {
  if (dump === undefined) return [];
  const completed = [...byExecution(dump).values()].flatMap((story) => {
    const { visits } = foldFunctions(story);
    return story.flatMap((event) => {
      const visit = event.kind === 'NodeCompleted' ? visits.get(visitOf(event)) : undefined;
      return visit === undefined ? [] : [{ event, visit, input: story[0]?.payload['input'] }];
    });
  });
  return violations('a journal replays to the output on record', completed, (of) => {
    const { event, visit, input = null } = of;
    const program = programOf(programs, { payload: { input }, nodeId: event.node_id ?? '' });
    const journal = visit.entries.map(({ entry }) => entry);
    const next = nextOf(program, journal, WELL_AFTER);
    const { output } = event.payload;
    const seen = isJsonObject(output) ? output['seen'] : null;
    if (next.do === 'complete' && isDeepStrictEqual(next.seen, seen)) return null;
    return {
      about: { execution: event.execution_id, sequence: event.sequence },
      saw: `${JSON.stringify(seen)}, replayed it is ${JSON.stringify(next)}`,
    };
  });
}
