import test from 'ava';

import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { createWorkerAnnouncements } from '../../../../src/shared/engine/work/worker-announcements.ts';

const TENANT = 'acme' as TenantId;

function open() {
  const told: string[] = [];
  let now = 0;
  const announcements = createWorkerAnnouncements({
    workers: {
      announce: async (workers) => {
        told.push(`announce ${workers.map(({ workerId }) => workerId).join(', ')}`);
      },
      withdraw: async ({ workerId, tenantId }) => {
        told.push(`withdraw ${workerId} of ${tenantId}`);
      },
    },
    report: { count() {}, observe() {}, trouble() {} },
    now: () => now,
  });
  const claim = (workerId: string, atMs: number) => {
    now = atMs;
    announcements.note(TENANT, { workerId, queues: ['function'], host: 'h', version: '1' });
  };
  return { announcements, claim, told };
}

test('a worker that stops is withdrawn, is in no later batch, and is announced when it returns', (t) => {
  const { announcements, claim, told } = open();
  claim('one', 0);
  claim('other', 1);
  claim('one', 2);
  announcements.withdraw(TENANT, 'one');
  claim('other', 20_000);
  claim('one', 20_001);
  t.deepEqual(told, [
    'announce one',
    'announce other',
    'withdraw one of acme',
    'announce other',
    'announce one',
  ]);
});

test('a worker whose claim breaks off is in no later batch, unless it claims again', (t) => {
  const { announcements, claim, told } = open();
  claim('one', 0);
  claim('other', 1);
  claim('one', 2);
  announcements.forget(TENANT, 'one');
  claim('other', 20_000);
  claim('one', 20_001);
  claim('other', 40_000);
  t.deepEqual(told, ['announce one', 'announce other', 'announce other', 'announce one, other']);
});
