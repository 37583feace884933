import test, { type ExecutionContext } from 'ava';
import { createTestRuntime } from 'svc-sdk/testing';

import { durableAgent } from '../../../examples/typescript/durable-agent.ts';
import { inTurn, startFakeProvider } from '../../sdk/ai/support/fake-provider.ts';
import { startPartner } from './support/partner.ts';

const TICKET = { text: 'My order A-1 came broken. I want my money back.' };
const CALLS = ['find_order', 'refund'].map((tool) => [{ tool, input: { order_id: 'A-1' } }]);

async function open(t: ExecutionContext) {
  const model = await startFakeProvider(inTurn(...CALLS, 'It is settled.'));
  t.teardown(() => model.close());
  const shop = await startPartner(t, () => ({ status: 200, body: { price: 40 } }));
  process.env['MODEL_URL'] = model.url;
  process.env['SHOP_URL'] = shop.url;
  const runtime = await createTestRuntime({ functions: [durableAgent] });
  t.teardown(() => runtime.stop());
  const execution = await runtime.start(durableAgent, TICKET);
  await runtime.settle();
  t.deepEqual(
    shop.asked.map(({ what }) => what),
    ['GET /orders/A-1'],
  );
  return { model, shop, runtime, execution };
}

test.serial('an approved refund is paid once', async (t) => {
  const { model, shop, execution } = await open(t);
  await execution.approve();
  t.deepEqual(await execution.result(), { answer: 'It is settled.' });
  t.is(shop.asked.length, 2);
  t.regex(shop.asked[1]?.what ?? '', /^PUT \/refunds\/[0-9a-f]{64}$/);
  t.is(model.asked.length, 3);
});

test.serial('a refund that nobody approves in time is not paid', async (t) => {
  const { shop, runtime, execution } = await open(t);
  await runtime.advance('3d');
  t.deepEqual(await execution.result(), { answer: 'It is settled.' });
  t.is(shop.asked.length, 1);
});
