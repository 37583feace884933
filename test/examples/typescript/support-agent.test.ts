import test, { type ExecutionContext } from 'ava';
import { createTestRuntime } from 'svc-sdk/testing';

import { supportAgent } from '../../../examples/typescript/support-agent/support-agent.ts';
import { startPartner, type Answer } from './support/partner.ts';

const TICKET = { text: 'My order A-1 came broken. I want my money back.' };
const ORDER = { order_id: 'A-1', price: 40 };

test.serial('an approved refund is paid, and the model learns of it', async (t) => {
  const { agent, shop, model } = await open(t);
  const { pending } = await agent.handle.approvals();
  t.is(pending.length, 1);
  t.like(pending[0], { step: 'refund', shown: { context: { tool: 'refund', orderId: 'A-1' } } });
  t.deepEqual(shop.asked, [{ what: 'GET /orders/A-1', body: null }]);
  await agent.approve();
  t.deepEqual(await agent.result(), { answer: 'The shop said {"paid":40}' });
  t.is(shop.asked.filter(({ what }) => what === 'PUT /refunds/A-1').length, 1);
  t.is(model.asked.length, 3);
});

test.serial('a refused refund is not paid, and the model learns of that', async (t) => {
  const { agent, shop } = await open(t);
  await agent.reject();
  t.deepEqual(await agent.result(), { answer: 'The shop said A person refused' });
  t.deepEqual(
    shop.asked.map(({ what }) => what),
    ['GET /orders/A-1'],
  );
});

/** An agent that waits for a person. */
async function open(t: ExecutionContext) {
  const model = await startPartner(t, ({ body }) => complete(body as Asked));
  const shop = await startPartner(t, ({ what }) => ({
    status: 200,
    body: what === 'GET /orders/A-1' ? ORDER : { paid: ORDER.price },
  }));
  process.env['MODEL_URL'] = model.url;
  process.env['SHOP_URL'] = shop.url;
  const runtime = await createTestRuntime({ functions: [supportAgent] });
  t.teardown(() => runtime.stop());
  const agent = await runtime.start(supportAgent, TICKET);
  await runtime.settle();
  return { model, shop, agent };
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** A model that looks up the order, requests the refund, and then reports the result. */
function complete({ messages, tools }: Asked): Answer {
  const results = messages.filter(({ role }) => role === 'tool');
  const next = tools[results.length];
  const message =
    next === undefined
      ? { content: `The shop said ${results.at(-1)?.content}` }
      : { content: null, tool_calls: [callOf(next.function.name)] };
  return { status: 200, body: { choices: [{ message: { role: 'assistant', ...message } }] } };
}

function callOf(name: string): object {
  const asked = { name, arguments: JSON.stringify({ order_id: ORDER.order_id }) };
  return { id: `call-${name}`, type: 'function', function: asked };
}
