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
  await row.getByText('a place, key acme', { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  await open(`executions/${second}`);
  const overview = page.getByRole('region', { name: 'Overview' });
  await overview.getByText(/^a place of its concurrency, key acme, since/).waitFor();
  await page.getByText(/number 1 in the queue of key acme/).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByRole('region', { name: 'Why it does not move' }).getByText(first).click();
  await page.waitForURL(`**/executions/${first}`);

  await open(`executions/${second}`);
  await overview.getByText(/^a place of its concurrency/).waitFor();
  await tenant.cancel(first);
  await tenant.until(second, 'paused');
  await overview.getByText(/^a place of its concurrency/).waitFor({ state: 'detached' });
});

story('a start that waits for its tenant says so, and is cancelled there', async (t, place) => {
  const { page, tenant, open } = place;
  await tenant.send({
    method: 'PUT',
    path: `/tenants/${tenant.tenantId}`,
    tenantId: 'default',
    body: { limits: { max_concurrent_executions: 1, when_full: 'queue' } },
  });
  await tenant.register({
    workflow_id: 'orders',
    nodes: { go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
  });
  const first = await tenant.start('orders');
  await tenant.until(first, 'paused');
  const [second, third] = [
    await tenant.start('orders', {}, { start_deadline: '1h' }),
    await tenant.start('orders'),
  ];
  await open(`executions/${third}`);
  await page.getByText(/number 2 in the queue of the tenant, limit 1 reached/).waitFor();
  await open(`executions/${second}`);
  const why = page.getByRole('region', { name: 'Why it does not move' });
  await why.getByText(/a place, until its start deadline: number 1 in the queue of/).waitFor();
  await why.getByText(/, until in \d+ min$/).waitFor();
  await page.getByText('waiting', { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await why.getByRole('link', { name: 'Show those that have begun' }).click();
  const list = page.getByRole('list', { name: 'Executions' });
  await list.locator(`a[href$="${first}"]`).waitFor();
  t.is(await list.locator(`a[href$="${second}"]`).count(), 0);

  await open(`executions/${second}`);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type orders to confirm').fill('orders');
  await dialog.getByRole('button', { name: 'Cancel execution' }).click();
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  t.deepEqual(await tenant.story(second), ['WorkflowStarted', 'TimerStarted', 'WorkflowCancelled']);
  await open(`executions/${third}`);
  await page.getByText(/number 1 in the queue of the tenant/).waitFor();
});

story(
  'a list and a page say which time, rate, newer start or batch an execution waits for',
  async (t, place) => {
    const { page, tenant, open } = place;
    const nodes = {
      go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
    };
    await tenant.register({ workflow_id: 'later', nodes });
    await tenant.register({
      workflow_id: 'paced',
      nodes,
      rate: { key: 'input.customer', limit: 1, per: '1d' },
    });
    await tenant.register({ workflow_id: 'settled', nodes, debounce: { wait: '1h' } });
    await tenant.register({ workflow_id: 'gathered', nodes, batch: { max: 5, wait: '1h' } });
    const acme = { customer: 'acme' };
    await tenant.until(await tenant.start('paced', acme), 'paused');
    const waiting = [
      [
        await tenant.start('later', {}, { start_after: '1h' }),
        /^its start, in \d+ min$/,
        /^its start at/,
      ],
      [
        await tenant.start('paced', acme),
        /^its rate, key acme/,
        /^its turn by the rate, key acme, since/,
      ],
      [
        await tenant.start('settled'),
        /^a newer start, in \d+ min$/,
        /^a newer start; it begins at .* unless one comes/,
      ],
      [
        await tenant.start('gathered'),
        /^its batch, in \d+ min$/,
        /^further starts of its batch, which closes at .* or when/,
      ],
    ] as const;
    await open('executions');
    for (const [execution, inList] of waiting) {
      const row = page
        .getByRole('list', { name: 'Executions' })
        .getByRole('listitem')
        .filter({ has: page.locator(`a[href$="${execution}"]`) });
      await row.getByText(inList).waitFor();
    }
    for (const [execution, , text] of waiting) {
      await open(`executions/${execution}`);
      const overview = page.getByRole('region', { name: 'Overview' });
      await overview.getByText(text).waitFor();
      t.deepEqual(await checkAccessibility(page), []);
    }
  },
);
