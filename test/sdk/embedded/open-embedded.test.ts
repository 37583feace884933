import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

import { openEmbedded } from 'svc-sdk/embedded';
import { defineFunction, silentLogger } from 'svc-sdk/worker';

import { createTestDatabase } from '../../support/database.ts';

const effects: string[] = [];
const order = defineFunction('order', async (ctx, input: { readonly id: string }) => {
  await ctx.step('charge', () => effects.push(`charge ${input.id}`));
  const paid = await ctx.waitForEvent<{ readonly by: string }>('paid', { key: input.id });
  return { paidBy: paid.by };
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a function runs in one process, and continues when it is opened again`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const id = `${dialect} order`;
    const first = await openEmbedded({ database: database.url });
    await first.worker({ functions: [order], logger: silentLogger });
    const started = await first.client.start(order, { id });
    for await (const event of started.events()) if (event.kind === 'NodeSuspended') break;
    await first.stop();

    await using second = await openEmbedded({ database: database.url });
    await second.worker({ functions: [order], logger: silentLogger });
    const again = second.client.execution<{ readonly paidBy: string }>(started.id);
    await again.signal(id, { by: 'card' });
    t.deepEqual(await again.result({ timeout: '20s' }), { paidBy: 'card' });
    t.deepEqual(
      effects.filter((effect) => effect.endsWith(id)),
      [`charge ${id}`],
    );
  });
}

test('a runtime that listens asks others for its token', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-embedded-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const token = 'k9Qm2vX7pL4tR8wZ1nB6yH3c';
  await using embedded = await openEmbedded({
    database: join(folder, 'app.db'),
    token,
    listen: { port: 0 },
  });
  t.deepEqual((await embedded.client.executions.list().page()).executions, []);
  const answer = await fetch(`${embedded.url}/executions`);
  t.is(answer.status, 401);
});
