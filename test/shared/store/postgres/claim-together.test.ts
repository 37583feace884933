import test, { type ExecutionContext } from 'ava';

import { createClaimWatermarks } from '../../../../src/shared/store/postgres/work/claim-watermarks.ts';
import {
  connectPool,
  type PostgresPool,
} from '../../../../src/shared/store/postgres/connection/connect.ts';
import { createServerFinder } from '../../../../src/shared/store/postgres/connection/server-finder.ts';
import { claim as claimItems } from '../../../../src/shared/store/postgres/work/leases.ts';
import { createWaitingTools } from '../../../../src/shared/store/postgres/work/waiting-tools.ts';
import { StoreUnavailableError } from '../../../../src/shared/store/store.ts';
import { openTestStore } from '../../../support/stores.ts';
import { commitOne, startWithItems } from '../contract/drive.ts';
import { makeItem, makePlan, makeTicket } from '../contract/make.ts';

test('a claim that found nothing above the watermark gets items that another process put below it', async (t) => {
  const { claim, passBy, putBelow, last } = await startQueue(t);
  await passBy();
  const urgent = await putBelow();
  t.deepEqual(await claim(3), [[[last, 'worker-0']], [[urgent, 'worker-1']], []]);
});

test('items claimed above the watermark are handed out though the database fails below it', async (t) => {
  const { claim, passBy, putBelow, breakAfter, last } = await startQueue(t);
  await passBy();
  await putBelow();
  breakAfter(1);
  t.deepEqual(await claim(3), [[[last, 'worker-0']], [], []]);
  breakAfter(0);
  await t.throwsAsync(claim(1), { instanceOf: StoreUnavailableError });
});

/** A queue with three items, and a process that claims from it with a stopped clock. */
async function startQueue(t: ExecutionContext) {
  const { store, url, close } = await openTestStore('postgres');
  const pool = connectPool({
    servers: createServerFinder({ url, connectTimeoutMs: 5_000 }),
    min: 1,
    max: 1,
    applicationName: 'svc-claims',
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
    onBackgroundError: () => undefined,
  });
  t.teardown(async () => {
    await pool.close();
    await close();
  });
  let time = 0;
  let statementsLeft = Infinity;
  const failing: PostgresPool = {
    ...pool,
    async run(statement, values, tenant) {
      if (statementsLeft <= 0) throw new StoreUnavailableError('gone', { ambiguous: false });
      statementsLeft -= 1;
      return pool.run(statement, values, tenant);
    },
  };
  const watermarks = createClaimWatermarks(() => time);
  const behind = { priority: 1 };
  const { tickets, ...execution } = await startWithItems(store, [behind, behind, behind]);
  const claim = async (claimers: number) => {
    const claimed = await claimItems(
      { pool: failing, watermarks, waitingTools: createWaitingTools(failing) },
      {
        tenantId: execution.tenantId,
        queues: ['python_tool'],
        leaseMs: 30_000,
        shards: null,
        claimers: Array.from({ length: claimers }, (_, index) => ({
          workerId: `worker-${index}`,
          limit: 1,
        })),
      },
    );
    return claimed.map((items) =>
      items.map(({ ticket, workerId }) => [ticket.workItemId, workerId]),
    );
  };
  return {
    claim,
    last: tickets[2]?.workItemId,
    /** Claims two items, which moves the watermark above them. */
    passBy: async () => {
      await claim(1);
      time += 50;
      await claim(1);
    },
    /** Returns the id of the item. */
    putBelow: async () => {
      const urgent = makeTicket(execution, { priority: 0 });
      await commitOne(store, makePlan(execution, { newItems: [makeItem(urgent)] }));
      time += 100;
      return urgent.workItemId;
    },
    breakAfter: (statements: number) => {
      statementsLeft = statements;
    },
  };
}
