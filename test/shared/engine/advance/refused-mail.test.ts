import test from 'ava';

import { judgeRefusedMail } from '../../../../src/shared/engine/advance/refused-mail.ts';
import type { Mail } from '../../../../src/shared/engine/advance/runner-mailbox.ts';
import { executionIdFromUuid, type DefinitionId } from '../../../../src/shared/domain/ids.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import type { RefusalReason } from '../../../../src/shared/store/commit.ts';
import { startedExecution } from './started-execution.ts';

const done: NodeOutcome = { ok: true, output: {}, statePatch: {} };
const child: NodeOutcome = {
  ok: 'child',
  child: {
    executionId: executionIdFromUuid('00000000-0000-7000-8000-000000000002'),
    definitionId: 'definition' as DefinitionId,
    workflowId: 'child',
    workflowVersion: '1',
    input: {},
  },
};

function judge(reason: RefusalReason, outcomes: readonly NodeOutcome[]) {
  const { held, items } = startedExecution({ nodes: { a: { kind: 'call' } }, edges: [] });
  const [item] = items;
  if (item === undefined) throw new Error('no item was leased');
  const mail: Mail = { noted: [], settled: outcomes.map((outcome) => ({ item, outcome })) };
  const { state } = held;
  return { item, mail, judged: judgeRefusedMail({ mail, reason, state, descendantsMax: 7 }) };
}

test('an execution that has moved keeps all of its mail', (t) => {
  const { mail, judged } = judge('moved', [done, done]);
  t.deepEqual(judged, { mail, lost: null, oneByOne: false });
});

test('a stale fence of one outcome loses its item, and nothing else is dropped', (t) => {
  const { item, judged } = judge('stale', [done]);
  t.deepEqual(judged, { mail: { noted: [], settled: [] }, lost: item, oneByOne: false });
});

test('a stale fence among several outcomes loses none: each is tried alone', (t) => {
  const { mail, judged } = judge('stale', [done, done]);
  t.deepEqual(judged, { mail, lost: null, oneByOne: true });
});

test('a child beyond the limit becomes a final failure, and its neighbours stay', (t) => {
  const { judged } = judge('descendants_limited', [done, child]);
  t.false(judged.oneByOne);
  t.is(judged.mail.settled[0]?.outcome, done);
  t.like(judged.mail.settled[1]?.outcome, {
    ok: false,
    errorClass: 'too_many_descendants',
    final: true,
  });
});

test('each of several children beyond the limit is tried alone', (t) => {
  const { mail, judged } = judge('descendants_limited', [child, child]);
  t.deepEqual(judged, { mail, lost: null, oneByOne: true });
});
