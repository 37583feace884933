import { isDeepStrictEqual } from 'node:util';

import { isJsonObject } from '../../../src/shared/domain/json.ts';
import { byExecution } from './check-histories.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { foldHistory } from '../fold-history.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * Executions that other executions started: each starts once, reports its end once, and gets all
 * that its predecessor left.
 */
export function checkFamilies(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const firsts = [...events.values()].flatMap(([first]) =>
    first?.kind === 'WorkflowStarted' ? [first] : [],
  );
  return [...checkRuns(events, firsts), ...checkChildren(events, firsts)];
}

type Stories = ReadonlyMap<string, readonly EventOf[]>;

/** A run continues as one other, with the state that it left. */
function checkRuns(events: Stories, firsts: readonly EventOf[]): Violation[] {
  const next = Map.groupBy(
    firsts.filter(({ payload }) => typeof payload['continued_from'] === 'string'),
    ({ payload }) => textIn(payload, 'continued_from'),
  );
  const ended = new Map(
    [...events].flatMap(([id, story]) => {
      const { continued_as: as } = story.at(-1)?.payload ?? {};
      return typeof as === 'string' ? [[id, as] as const] : [];
    }),
  );
  const ids = new Set([...next.keys(), ...ended.keys()]);
  return [
    ...violations('a run continues as exactly one other', ids, (id) => {
      const successors = (next.get(id) ?? []).map((first) => first.execution_id);
      const [only] = successors;
      if (successors.length === 1 && only === ended.get(id)) return null;
      const said = ended.get(id) ?? 'nothing';
      return {
        about: { execution: id },
        saw: `said ${said}, was followed by ${successors.join()}`,
      };
    }),
    ...violations('the next run begins with the state of the run before', next, ([id, [first]]) => {
      const carried = first?.payload['carried'];
      const left = foldHistory(events.get(id) ?? []).state;
      if (isJsonObject(carried) && isDeepStrictEqual(carried['state'], left)) return null;
      return {
        about: { execution: id, next: first?.execution_id ?? '' },
        saw: `left ${JSON.stringify(left)}, carried ${JSON.stringify(carried)}`,
      };
    }),
  ];
}

/** A child is the one that its parent's history names, and that history records its end once. */
function checkChildren(events: Stories, firsts: readonly EventOf[]): Violation[] {
  const born = firsts.filter(
    ({ payload }) =>
      payload['parent_execution_id'] !== undefined && payload['continued_from'] === undefined,
  );
  const named = new Map<string, number>();
  const told = new Map<string, number>();
  for (const { kind, payload } of [...events.values()].flat()) {
    const counts = COUNTED[kind] === 'named' ? named : COUNTED[kind] === 'told' ? told : null;
    const id = textIn(payload, 'child_execution_id');
    counts?.set(id, (counts.get(id) ?? 0) + 1);
  }
  const ids = new Set([...named.keys(), ...born.map((first) => first.execution_id)]);
  return [
    ...violations('a child begins once, as its parent recorded', ids, (id) => {
      const begun = born.filter((first) => first.execution_id === id).length;
      if (begun === 1 && named.get(id) === 1) return null;
      return { about: { child: id }, saw: `begun ${begun} times, named ${named.get(id) ?? 0}` };
    }),
    ...violations('the end of a child is recorded once', told, ([id, times]) =>
      times === 1 ? null : { about: { child: id }, saw: `told ${times} times` },
    ),
  ];
}

const COUNTED: Readonly<Record<string, 'named' | 'told'>> = {
  ChildWorkflowStarted: 'named',
  ChildWorkflowCompleted: 'told',
  ChildWorkflowFailed: 'told',
};
