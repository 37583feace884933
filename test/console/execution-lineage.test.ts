import type { Page } from 'playwright-core';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

const FRAGILE: JsonObject = {
  workflow_id: 'fragile',
  nodes: {
    fetch: { kind: { type: 'python_fn', module: 'shop', function: 'fetch' } },
    send: {
      kind: { type: 'python_fn', module: 'shop', function: 'send' },
      retry_policy: 'no_retry',
    },
  },
  edges: [{ from: 'fetch', to: 'send' }],
};

const CHILD: JsonObject = {
  workflow_id: 'shipping',
  nodes: { pack: { kind: { type: 'python_fn', module: 'shop', function: 'pack' } } },
};

const PARENT: JsonObject = {
  workflow_id: 'selling',
  nodes: {
    ship: { kind: { type: 'subgraph', workflow_ref: 'shipping' } },
    close: { kind: 'pass' },
  },
  edges: [{ from: 'ship', to: 'close' }],
};

function lineage(page: Page) {
  return page.getByRole('list', { name: 'Lineage' });
}

story('a failed execution is retried, and each leads to the other', async (t, place) => {
  const { page, tenant } = place;
  const first = await tenant.run(FRAGILE);
  await tenant.work('fetch');
  await tenant.breakDown('send', { error: 'the carrier is closed' });
  await tenant.until(first, 'failed');
  await place.open(`executions/${first}`);
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  t.is(await lineage(page).count(), 0);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry this execution?' });
  await dialog.getByText('By command or request').click();
  await dialog.getByText(`svc execution retry ${first}`, { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await dialog.getByRole('button', { name: 'Retry execution' }).click();

  // The page of the retry follows, and it names what it came from.
  const next = await untilOther(page, first);
  await lineage(page).getByText('Retry of').waitFor();
  t.is((await tenant.read(first)).retried_as, next);
  await tenant.work('send');
  await tenant.until(next, 'completed');
  await page.getByText('completed', { exact: true }).first().waitFor();
  t.is(await page.getByRole('button', { name: 'Retry', exact: true }).count(), 0);

  await lineage(page).getByRole('link', { name: first, exact: true }).click();
  await page.waitForURL(place.at(`executions/${first}`));
  await lineage(page).getByText('Retried as').waitFor();
  t.is(await page.getByRole('button', { name: 'Retry', exact: true }).count(), 0);
  await lineage(page).getByRole('link', { name: next, exact: true }).click();
  await page.waitForURL(place.at(`executions/${next}`));
  await lineage(page).getByText('Retry of').waitFor();
});

story('a child execution is stepped into from the graph, and back', async (t, place) => {
  const { page, tenant } = place;
  await tenant.register(CHILD);
  const parent = await tenant.run(PARENT);
  const item = await tenant.claimOf('pack');
  const child = item.execution_id;
  await place.open(`executions/${parent}?node=ship`);
  await lineage(page)
    .getByRole('link', { name: `shipping ${child}` })
    .waitFor();
  await page.getByRole('button', { name: 'Open what ship runs' }).click();
  await page.waitForURL(place.at(`executions/${child}`));
  await page.getByRole('heading', { name: 'shipping', level: 1 }).waitFor();
  await page.getByRole('list', { name: 'Nodes', exact: true }).getByText('pack').waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  // The child ends while its page is open.
  expectStatus(await tenant.complete(item, { packed: true }), 200);
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  await lineage(page).getByText('Started by').waitFor();
  await lineage(page).getByRole('link', { name: parent, exact: true }).click();
  await page.waitForURL(place.at(`executions/${parent}`));
  await page.getByRole('heading', { name: 'selling', level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  await lineage(page).getByText('completed').waitFor();

  // The list of nodes leads there too, and the browser's way back keeps the chosen node.
  const nodes = page.getByRole('list', { name: 'Nodes', exact: true });
  await nodes.getByRole('button', { name: 'ship' }).click();
  await nodes.getByRole('link', { name: 'Open child execution' }).click();
  await page.waitForURL(place.at(`executions/${child}`));
  await page.goBack();
  await page.waitForURL(place.at(`executions/${parent}?node=ship`));
  await page.getByRole('heading', { name: 'selling', level: 1 }).waitFor();
});

async function untilOther(page: Page, first: string): Promise<string> {
  const idOf = (url: URL) => url.pathname.split('/').at(-1) ?? '';
  await page.waitForURL((url) => idOf(url) !== first);
  return idOf(new URL(page.url()));
}

story('a label of an execution leads to all that have it', async (t, place) => {
  const { page, tenant } = place;
  const workflow = await tenant.register(CHILD);
  const labels = { customer: 'Brown "&" Sons', tier: 'gold' };
  const first = await tenant.start(workflow, {}, { labels });
  const second = await tenant.start(workflow, {}, { labels: { customer: labels.customer } });
  const other = await tenant.start(workflow, {}, { labels: { customer: 'Brown' } });
  await place.open(`executions/${first}`);
  const list = page.getByRole('list', { name: 'Labels' });
  await list.getByRole('link', { name: 'tier=gold' }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await list.getByRole('link', { name: `customer=${labels.customer}` }).click();
  for (const id of [first, second]) await page.locator(`a[href*="${id}"]`).first().waitFor();
  t.is(await page.locator(`a[href*="${other}"]`).count(), 0);
  t.is(
    await page.getByRole('combobox', { name: 'Query' }).inputValue(),
    String.raw`labels.customer = "Brown \"&\" Sons"`,
  );
});
