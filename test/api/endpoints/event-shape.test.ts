import test from 'ava';

import { shapeBriefly } from '../../../src/api/endpoints/executions/event-shape.ts';
import type { RecordedEvent } from '../../../src/shared/domain/execution/event.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { makeExecutionId } from '../../shared/store/contract/make.ts';

const LONG = 'x'.repeat(1_000);

function brief(payload: JsonObject) {
  const event = {
    sequence: 3,
    kind: 'StepRecorded',
    nodeId: 'run',
    createdAt: '2026-01-01T00:00:00.000Z',
    actorId: 'worker:w',
    payload,
  };
  return shapeBriefly(makeExecutionId(), event as unknown as RecordedEvent).payload;
}

test('a brief event leaves long members out', (t) => {
  t.deepEqual(brief({ visit: 0, input: LONG }), { visit: 0 });
});

test('a brief event names its steps and waits, and leaves out their values', (t) => {
  const failed = { identity: 'ship', kind: 'step', error: { message: 'no stock' }, attempts: 1 };
  t.deepEqual(
    brief({
      entries: [{ identity: 'charge', kind: 'step', output: LONG }, failed],
      waits: [{ identity: 'paid', kind: 'event', timeout_at: LONG }],
    }),
    {
      entries: [
        { identity: 'charge', kind: 'step' },
        { identity: 'ship', kind: 'step', error: { message: 'no stock' } },
      ],
      waits: [{ identity: 'paid', kind: 'event' }],
    },
  );
  t.deepEqual(brief({ entries: [failed] }), { entries: [failed] });
});

test('a brief event shortens the long message of a step that failed', (t) => {
  const shortened = `${'x'.repeat(256)}…`;
  const step = { identity: 'ship', kind: 'step' };
  const failWith = (error: JsonObject) => brief({ entries: [{ ...step, error }] });
  t.deepEqual(failWith({ message: LONG, class: 'Refused' }), {
    entries: [{ ...step, error: { message: shortened, class: 'Refused' } }],
  });
  t.deepEqual(failWith({ message: LONG, class: LONG }), {
    entries: [{ ...step, error: { message: shortened } }],
  });
});
