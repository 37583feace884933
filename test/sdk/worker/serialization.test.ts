import { defineFunction, defineTool } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

const check = onBothStores();

check('a function whose output is no JSON fails at its first attempt', async (t, tenant, place) => {
  let runs = 0;
  const order = defineFunction<object, object>('order', () => {
    runs += 1;
    return { total: 1n };
  });
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const id = await startFunction(tenant, order, {});
  await tenant.until(id, 'failed');
  t.is(runs, 1);
  const failed = (await tenant.events(id)).find(({ kind }) => kind === 'NodeFailed');
  t.like(failed?.payload, {
    retryable: false,
    error_class: 'SerializationError',
    error: 'The output of the function is not JSON: output.total is a BigInt; use text or a number',
  });
  return tenant.story(id);
});

check('a tool whose output is no JSON fails its item, and runs once', async (t, tenant, place) => {
  let runs = 0;
  const cycle: Record<string, unknown> = {};
  cycle['again'] = cycle;
  const tools = [
    defineTool('order.total', () => {
      runs += 1;
      return { total: Number.NaN };
    }),
    defineTool('order.cycle', () => {
      runs += 1;
      return cycle;
    }),
  ];
  startWorker(t, { tenant, place, options: { tools } });
  const failureOf = async (name: string) => {
    const ir = {
      workflow_id: name,
      retry_policies: { patient: { max_attempts: 3, initial_delay: '1ms' } },
      nodes: {
        run: { kind: 'python_fn', module: 'order', function: name, retry_policy: 'patient' },
      },
    };
    const id = await tenant.start(await tenant.register(ir));
    await tenant.until(id, 'failed');
    const failed = (await tenant.events(id)).find(({ kind }) => kind === 'NodeFailed');
    return failed?.payload;
  };
  t.like(await failureOf('total'), {
    error: 'The output of the tool order.total is not JSON: output.total is NaN; use null or text',
    error_class: 'SerializationError',
    retryable: false,
  });
  t.like(await failureOf('cycle'), { error_class: 'SerializationError', retryable: false });
  t.is(runs, 2);
});
