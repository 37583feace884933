import test from 'ava';

import { openEmbedded } from 'svc-sdk/embedded';
import { defineFunction, silentLogger } from 'svc-sdk/worker';

import { eventually } from '../../support/eventually.ts';
import { startOtlpCollector } from '../../support/servers/otlp-collector.ts';

test('each step of a function is a span in the trace of its execution', async (t) => {
  const collector = await startOtlpCollector();
  t.teardown(() => collector.close());
  await using svc = await openEmbedded({
    database: ':memory:',
    settings: { 'telemetry.enabled': true, 'telemetry.otlp.endpoint': collector.url },
  });
  const order = defineFunction('order', async (ctx) => {
    await ctx.step('reserve', () => 'reserved');
    await ctx.step('charge', () => 'charged', { durability: 'end' });
    return {};
  });
  await svc.worker({ functions: [order], logger: silentLogger });
  await (await svc.client.start(order, {})).result({ timeout: '20s' });
  await eventually(() => {
    const names = new Set(collector.spans.map(({ name }) => name));
    for (const name of ['svc.execution', 'svc.node.run', 'svc.step.reserve', 'svc.step.charge']) {
      if (!names.has(name)) throw new Error(`${name} has no span: ${[...names].join(', ')}`);
    }
  });
  t.is(new Set(collector.spans.map(({ traceId }) => traceId)).size, 1);
});
