import type { EventsBetween } from '../../../../../src/shared/store/executions.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { commitOne, start } from '../drive.ts';
import { makeCompleted, makeEvent, makePlan } from '../make.ts';

export function eventsBetweenCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('events are read in both directions, between bounds, and by kind', async (t, { store }) => {
    const execution = await start(store);
    const events = [makeEvent(), makeCompleted(1), makeEvent(), makeCompleted(2), makeEvent()];
    await commitOne(store, makePlan(execution, { events }));
    const other = await start(store);
    await commitOne(store, makePlan(other, { events: [makeCompleted(3)] }));
    const read = async (range: Partial<EventsBetween>) => {
      const found = await store.executions.eventsBetween({
        executionId: execution.executionId,
        after: 0,
        before: null,
        kinds: null,
        order: 'asc',
        limit: null,
        ...range,
      });
      return found.map(({ sequence }) => sequence);
    };
    t.deepEqual(await read({}), [1, 2, 3, 4, 5, 6]);
    t.deepEqual(await read({ order: 'desc' }), [6, 5, 4, 3, 2, 1]);
    t.deepEqual(await read({ order: 'desc', before: 5, limit: 2 }), [4, 3]);
    t.deepEqual(await read({ after: 1, before: 4 }), [2, 3]);
    t.deepEqual(await read({ kinds: ['NodeCompleted'] }), [3, 5]);
    t.deepEqual(await read({ kinds: ['NodeCompleted'], order: 'desc', limit: 1 }), [5]);
    t.deepEqual(await read({ kinds: ['WorkflowStarted', 'NodeCompleted'], before: 5 }), [1, 3]);
    t.deepEqual(await read({ kinds: [] }), []);
    t.deepEqual(await read({ after: Number.MAX_SAFE_INTEGER }), []);
    t.deepEqual(await read({ before: 1 }), []);
  });
}
