import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

story('a list and a page show that an execution waits for a place of its key', async (t, place) => {
  const { page, tenant, open } = place;
  await tenant.register({
    workflow_id: 'orders',
    concurrency: { key: 'input.customer', limit: 1 },
    nodes: { go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
  });
  const first = await tenant.start('orders', { customer: 'acme' });
  await tenant.until(first, 'paused');
  const second = await tenant.start('orders', { customer: 'acme' });
  await open('executions');
  const row = page
    .getByRole('list', { name: 'Executions' })
    .getByRole('listitem')
    .filter({ has: page.locator(`a[href$="${second}"]`) });
  await row.getByText('waiting', { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  await open(`executions/${second}`);
  const overview = page.getByRole('region', { name: 'Overview' });
  await overview.getByText(/^a place of its concurrency, key acme, since/).waitFor();
  await page.getByText(/number 1 in the queue of key acme/).waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  await tenant.cancel(first);
  await tenant.until(second, 'paused');
  await overview.getByText(/^a place of its concurrency/).waitFor({ state: 'detached' });
});
