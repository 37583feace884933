import { keyInPlace } from '../../workflow/flow/flow-key.ts';
import type { Blocker } from './blocker.ts';
import type { FlowFacts } from './facts.ts';
import { blockerOf } from './scene.ts';

/** It begins when it has a place of its key, even if events are recorded before. */
export function explainFlowWait(wait: FlowFacts): Blocker {
  const { placeKey, placesMax, since, ahead, holders } = wait;
  const key = keyInPlace(placeKey);
  const of = key === '' ? 'of the workflow' : `of key ${key}`;
  return blockerOf(
    { nodeId: null, visit: null },
    {
      code: 'waiting_for_place',
      message: `waits for a place: number ${ahead + 1} in the queue ${of}, concurrency limit ${placesMax} reached`,
      since,
      unblockedBy: 'the end of an execution that has a place of the same key',
      details: { position: ahead + 1, waitsFor: holders },
    },
  );
}
