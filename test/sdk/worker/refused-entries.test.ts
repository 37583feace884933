import { createJsonLogger, defineFunction } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

/* Entries of which the runtime refuses one. */

const check = onBothStores();
/** The runtime takes no integer that a double cannot hold exactly. */
const REFUSED = { n: 2 ** 60 };

for (const ending of ['complete', 'fail', 'continue', 'suspend'] as const) {
  check(`entries that ride with ${ending} lose the refused one alone`, async (t, tenant, place) => {
    const mixed = defineFunction('mixed', async (ctx) => {
      await ctx.step('good', () => 1, { durability: 'end' });
      await ctx.step('bad', () => REFUSED, { durability: 'end' });
      ctx.uuid();
      if (ending === 'fail') throw new Error('declined');
      if (ending === 'continue') ctx.continueAsNew({});
      if (ending === 'suspend') await ctx.sleep(60_000);
      return {};
    });
    const plain = defineFunction('plain', (ctx) => ctx.step('good', () => ({ ok: true })));
    const told: string[] = [];
    const logger = createJsonLogger({
      level: 'warn',
      write: (line) => void told.push((JSON.parse(line) as { message: string }).message),
    });
    const options = { functions: [mixed, plain], concurrency: 1, logger };
    startWorker(t, { tenant, place, options });
    const id = await startFunction(tenant, mixed, {});
    await tenant.until(id, 'failed');
    const { recorded, error } = await endOf(tenant, id);
    t.deepEqual(recorded, ['step good', 'value uuid']);
    t.regex(error, /the journal does not take step \\"bad\\": /);
    t.is(error.startsWith('"declined; '), ending === 'fail');
    t.deepEqual(
      told.filter((message) => message.startsWith('the runtime refuses')),
      [`the runtime refuses ${ending === 'fail' ? 'entries' : 'the result'}`],
    );
    await tenant.until(await startFunction(tenant, plain, {}), 'completed');
  });
}

check('steps side by side lose the refused one alone', async (t, tenant, place) => {
  const mixed = defineFunction('mixed', async (ctx) => {
    const values = [1, REFUSED, 2];
    await ctx.all(values.map((value, index) => ctx.step(`s${index}`, () => value)));
    await ctx.step('next', () => 3);
    return {};
  });
  startWorker(t, { tenant, place, options: { functions: [mixed] } });
  const id = await startFunction(tenant, mixed, {});
  await tenant.until(id, 'failed');
  const { recorded, error } = await endOf(tenant, id);
  t.deepEqual(recorded, ['step s0', 'step s2']);
  t.regex(error, /the journal does not take step \\"s1\\": /);
});

interface Recorded {
  readonly kind: string;
  readonly identity: string;
}

async function endOf(tenant: TestTenant, id: string) {
  const events = await tenant.events(id);
  const recorded = events
    .filter(({ kind }) => kind === 'StepRecorded')
    .flatMap(({ payload }) => payload['entries'] as unknown as readonly Recorded[])
    .map(({ kind, identity }) => `${kind} ${identity}`);
  const failed = events.find(({ kind }) => kind === 'NodeFailed');
  return { recorded, error: JSON.stringify(failed?.payload['error']) };
}
