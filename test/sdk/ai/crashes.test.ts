import { fileURLToPath } from 'node:url';

import { defineFunction } from 'svc-sdk/worker';

import { onBothStores, type Place } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { startProgram, type Started } from '../../support/processes.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { startFunction, until } from '../support/with-worker.ts';
import { inTurn, startFakeProvider } from './support/fake-provider.ts';
import { major6 } from './support/major-6.ts';
import { major7 } from './support/major-7.ts';

const check = onBothStores({ env: { SVC_SCHEDULER_LEASE_SECONDS: '4' } });

const WORKER = fileURLToPath(new URL('support/worker-process.ts', import.meta.url));

/** The system that the tools change. It never answers the first call of `held`. */
async function startReceiver(held: string) {
  const calls: string[] = [];
  const server = await startHttpServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    calls.push(name);
    if (name === held && calls.filter((call) => call === held).length === 1) return;
    response.end(`${name} done`);
  });
  return { ...server, calls };
}

interface Around {
  readonly tenant: TestTenant;
  readonly place: Place;
  readonly env: Readonly<Record<string, string>>;
}

function startProcess({ place, tenant, env }: Around): Promise<Started> {
  return startProgram({
    entry: { path: WORKER },
    args: [],
    env: {
      NODE_OPTIONS: '--conditions=svc-source',
      RUNTIME_URL: place.runtime.url,
      RUNTIME_TOKEN: place.runtime.apiKey,
      RUNTIME_TENANT: tenant.tenantId,
      ...env,
    },
  });
}

async function untilRecorded(tenant: TestTenant, id: string, step: string): Promise<void> {
  await eventually(async () => {
    const events = JSON.stringify(await tenant.events(id));
    if (!events.includes(`"identity":"${step}"`)) throw new Error(`${step} is not recorded`);
  });
}

const named = defineFunction('agent', () => ({}));

for (const major of [major6, major7]) {
  check(
    `a worker killed between a model call and a tool call repeats neither (${major.name})`,
    async (t, tenant, place) => {
      const calls = [
        { tool: 'weather', input: { city: 'Rome' } },
        { tool: 'refund', input: { order: 'A-1' } },
      ];
      const provider = await startFakeProvider(inTurn(calls, 'Refunded.'));
      t.teardown(() => provider.close());
      const receiver = await startReceiver('refund-begins');
      t.teardown(() => receiver.close());
      const env = { MAJOR: major.name, PROVIDER_URL: provider.url, RECEIVER_URL: receiver.url };

      const first = await startProcess({ tenant, place, env });
      t.teardown(() => first.end('SIGKILL'));
      const id = await startFunction(tenant, named, {});
      await until('the tool is about to act', () => receiver.calls.includes('refund-begins'));
      await untilRecorded(tenant, id, 'weather');
      await first.end('SIGKILL');
      t.is(provider.asked.length, 1);
      t.false(receiver.calls.includes('refund'));

      const second = await startProcess({ tenant, place, env });
      t.teardown(() => second.end('SIGKILL'));
      const { state } = await tenant.until(id, 'completed');
      t.like(state['output'], { text: 'Refunded.', totalTokens: 30 });
      t.is(provider.asked.length, 2);
      t.deepEqual(receiver.calls.toSorted(), [
        'refund',
        'refund-begins',
        'refund-begins',
        'weather',
        'weather-begins',
      ]);
      t.is(await second.end('SIGTERM'), 0);
    },
  );
}
