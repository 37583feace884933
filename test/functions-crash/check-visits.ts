import { isDeepStrictEqual } from 'node:util';

import type { ExecutionEvent } from '../support/wire.ts';
import { checkFacts, type Facts } from './check.ts';
import { tagOfNext, visitsOf, type Input } from './program.ts';

/** Facts of an execution whose function may have continued as new. */
export type ExecutionFacts = Omit<Facts, 'effects' | 'executions' | 'children'> & {
  /** Facts of the visit with this tag. */
  readonly ofVisit: (tag: string) => Pick<Facts, 'effects' | 'executions' | 'children'>;
};

/** The problems of each visit of the function, and of all visits together. */
export function checkVisits(facts: ExecutionFacts): readonly string[] {
  const { events, status, output } = facts;
  const continued = events.filter(({ kind }) => kind === 'NodeContinuedAsNew');
  const visits = visitsOf(facts);
  const begun = visits.slice(0, continued.length + 1).map(({ tag, program }, visit) => {
    const isLast = visit === continued.length;
    return {
      tag,
      program,
      status: isLast ? status : 'continued',
      output: isLast ? output : null,
      events: events.filter((event) => isOfVisit(event, visit)),
      ...facts.ofVisit(tag),
    };
  });
  return [
    ...begun.flatMap((visit) => checkFacts(visit).map((one) => `${visit.tag}: ${one}`)),
    ...checkContinued(facts, continued),
    ...checkKeys(begun),
    ...(status === 'completed' && begun.length < visits.length
      ? [`it completed in visit ${begun.length} of ${visits.length}`]
      : []),
  ];
}

/** An event without a visit belongs to all visits. */
function isOfVisit({ payload }: ExecutionEvent, visit: number): boolean {
  return payload['visit'] === undefined || payload['visit'] === visit;
}

/** Each visit continues once, with the input from its program. */
function checkContinued(facts: Input, continued: readonly ExecutionEvent[]): readonly string[] {
  const visits = visitsOf(facts).length;
  let { tag, program } = facts;
  return continued.flatMap(({ payload }, visit) => {
    const last = program.at(-1);
    const next = last?.op === 'continue' ? { tag: tagOfNext(tag), program: last.program } : null;
    if (next === null) return [`it continued ${visit + 1} times, and has ${visits} visits`];
    ({ tag, program } = next);
    const isIt = payload['visit'] === visit && isDeepStrictEqual(payload['input'], next);
    return isIt ? [] : [`it continued visit ${visit} of another number, or with another input`];
  });
}

/** The same step in two visits has two keys. */
function checkKeys(visits: readonly Pick<Facts, 'effects'>[]): readonly string[] {
  const keys = visits.flatMap(({ effects }) => effects.flatMap((one) => [...one.keys.keys()]));
  return new Set(keys).size === keys.length ? [] : ['two visits share a key'];
}
