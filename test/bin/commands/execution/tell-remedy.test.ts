import test from 'ava';

import { tellRemedy } from '../../../../bin/commands/execution/tell-remedy.ts';

const BLOCKER = { code: 'x', node_id: 'pay', message: 'm', since: null, until: null };

test('the command and the route that unblock an execution name it', (t) => {
  const remedy = (unblockedBy: string, workItemId?: string) =>
    tellRemedy({ ...BLOCKER, unblocked_by: unblockedBy, work_item_id: workItemId }, 'exec_1');
  t.is(
    remedy('POST /executions/{id}/resume, or: svc execution resume'),
    'POST /executions/exec_1/resume, or: svc execution resume exec_1',
  );
  t.is(
    remedy('POST /work-items/{id}/requeue, or a cancel', 'w'),
    'POST /work-items/w/requeue, or a cancel',
  );
  const event = 'POST /executions/{id}/external-event, or: svc execution send-event';
  t.is(remedy(event), 'POST /executions/exec_1/external-event, or: svc execution send-event');
  t.is(remedy('a worker that claims m.f'), 'a worker that claims m.f');
});
