import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { TestTenant } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

/** So that no lease ends within a story. */
const story = inBrowser({ env: { SVC_SCHEDULER_LEASE_SECONDS: '600' } });

const POLL_MS = 2_000;
const WORKER = { worker_id: 'forge-1', queue_types: ['python_tool'], tools: ['shop.*'] };

function calling(workflowId: string, module: string, name: string): JsonObject {
  return {
    workflow_id: workflowId,
    nodes: { call: { kind: 'python_fn', module, function: name } },
  };
}

/** Claims like a worker that has nothing to do, so that it is seen, until it is asked to stop. */
function keepClaiming(tenant: TestTenant): () => Promise<void> {
  const stopping = new AbortController();
  const claiming = (async () => {
    while (!stopping.signal.aborted) await tenant.tryClaim({ ...WORKER, wait_ms: POLL_MS });
  })();
  return () => {
    stopping.abort();
    return claiming;
  };
}

story('a worker holds a lease, and a tool that nobody serves stands out', async (t, place) => {
  const { page, tenant } = place;
  const served = await tenant.run(calling('serving', 'shop', 'reserve'));
  const item = await tenant.claim(WORKER);
  await tenant.untilEvent(await tenant.run(calling('mailing', 'mail', 'send')), 'NodeScheduled');
  await tenant.untilEvent(await tenant.run(calling('mailing', 'mail', 'send')), 'NodeScheduled');
  const stop = keepClaiming(tenant);
  try {
    await place.open('workers');
    await page.getByText('No worker claims mail.send').waitFor();
    const mail = page.getByRole('row', { name: /mail\.send/ });
    t.is(await mail.getByRole('cell').nth(2).textContent(), '2');
    t.is(await mail.getByRole('cell').last().textContent(), 'nobody');
    const shop = page.getByRole('row', { name: /shop\.reserve/ });
    await shop.getByText('forge-1').waitFor();

    const leases = page.getByRole('list', { name: 'Leased items' });
    await leases.getByRole('link', { name: 'serving, call' }).waitFor();
    await leases.getByText(/^lease for \d+ min/).waitFor();
    t.deepEqual(await checkAccessibility(page), []);
    await page.getByRole('button', { name: 'forge-1', exact: true }).click();
    await page.getByRole('button', { name: 'Remove worker forge-1' }).waitFor();
    t.is(new URL(page.url()).searchParams.get('worker'), 'forge-1');
    await leases.getByText('shop.reserve, attempt 1').waitFor();

    t.is((await tenant.complete(item)).status, 200);
    await tenant.until(served, 'completed');
    await page.getByText('forge-1 holds nothing now.').waitFor();
  } finally {
    await stop();
  }
});

story('an idle tenant learns how work comes here, on a phone too', async (t, place) => {
  const { page } = place;
  await page.setViewportSize({ width: 375, height: 740 });
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at('workers'));
  await page.getByText('No item waits, none is leased').waitFor();
  await page.getByText('No worker has claimed anything').waitFor();
  await page.getByText('No item is leased now.').waitFor();
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 375);
  t.deepEqual(await checkAccessibility(page), []);
});
