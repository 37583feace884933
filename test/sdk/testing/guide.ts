import { createClient } from 'svc-sdk/client';
import { openEmbedded } from 'svc-sdk/embedded';
import { createTestRuntime, replayHistory } from 'svc-sdk/testing';
import { createWorker, defineFunction, defineTool } from 'svc-sdk/worker';

/* The programs of docs/guides/testing.md. */

export const delivery = defineFunction(
  'delivery',
  async (ctx, { parcel }: { readonly parcel: string }) => {
    await ctx.step('charge the card', () => ({ charged: 5 }));
    await ctx.waitForEvent('arrival', { key: `${parcel} arrived` });
    await ctx.approval('receipt');
    return {};
  },
);

export async function approveAfterDelivery(): Promise<void> {
  await using runtime = await createTestRuntime({ functions: [delivery] });
  const execution = await runtime.start(delivery, { parcel: 'P-7' });
  await execution.signal('P-7 arrived', { door: 'left' });
  await execution.approve();
  await execution.result();
}

export async function runWithoutTheBank(): Promise<void> {
  await using runtime = await createTestRuntime({
    functions: [delivery],
    steps: { 'charge the card': () => ({ charged: 0 }) },
    tools: [defineTool('stock.reserve', () => ({ shelf: 'A' }))],
  });
  const execution = await runtime.start(delivery, { parcel: 'P-8' });
  for (const { name, kind } of await execution.steps()) console.log(kind, name);
}

export async function checkBeforeDeploying(executionId: string): Promise<void> {
  const history = await createClient().execution(executionId).history().toArray();
  await replayHistory(delivery, history);
}

export async function runInThisProcess(): Promise<void> {
  await using svc = await openEmbedded({ database: './app.db' });
  const worker = createWorker({ ...svc.connection, functions: [delivery] });
  const running = worker.run();
  await worker.ready;
  const execution = await svc.client.start(delivery, { parcel: 'P-9' });
  await execution.signal('P-9 arrived', {});
  await worker.stop();
  await running;
}
