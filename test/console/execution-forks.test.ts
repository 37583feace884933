import type { Page } from 'playwright-core';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { findCutOff } from './support/find-cut-off.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

const fn = (name: string, more: JsonObject = {}): JsonObject => ({
  kind: { type: 'python_fn', module: 'shop', function: name },
  retry_policy: 'no_retry',
  ...more,
});
const ORDER: JsonObject = {
  workflow_id: 'order',
  nodes: { quote: fn('quote', { output_key: 'quote' }), charge: fn('charge'), ship: fn('ship') },
  edges: [
    { from: 'quote', to: 'charge' },
    { from: 'charge', to: 'ship' },
  ],
};
const PARCELS: JsonObject = {
  workflow_id: 'parcels',
  nodes: {
    each: {
      kind: {
        type: 'map',
        items: 'state.parcels',
        item_key: 'parcel',
        node: 'send',
        on_item_failure: 'collect',
      },
      output_key: 'sent',
    },
    send: fn('send'),
  },
  start_node: 'each',
  edges: [],
};
/** More than the page shows at once. */
const FORKS = 12;

const lineage = (page: Page) => page.getByRole('list', { name: 'Lineage' });
const nodes = (page: Page) => page.getByRole('list', { name: 'Nodes', exact: true });

/** The place of an execution that another page leads to. */
async function untilOther(page: Page, first: string): Promise<string> {
  const idOf = (url: URL) => url.pathname.split('/').at(-1) ?? '';
  await page.waitForURL((url) => idOf(url) !== first);
  return idOf(new URL(page.url()));
}

story('a fork begins at a node with a changed state, and each leads back', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ORDER, { currency: 'USD' });
  for (const node of ['quote', 'charge', 'ship']) await tenant.work(node);
  await tenant.until(id, 'completed');
  await place.open(`executions/${id}`);
  await nodes(page).getByRole('button', { name: 'charge' }).click();
  const opener = page.getByRole('button', { name: 'Fork from charge' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Fork from charge' });
  const preview = dialog.getByRole('region', { name: 'What the fork does' });
  await preview.getByText('charge, ship', { exact: true }).waitFor();
  await preview.getByText('quote', { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  // Escape closes it, starts nothing, and gives the focus back.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.locator('button:focus', { hasText: 'Fork from charge' }).waitFor();
  await page.keyboard.press('Enter');

  const patch = dialog.getByLabel('Change of the state, as a JSON merge patch');
  await patch.fill('[1]');
  await dialog.getByText('This is no JSON object.').waitFor();
  t.true(await dialog.getByRole('button', { name: 'Fork execution' }).isDisabled());
  await patch.fill('{"currency": "EUR"}');
  await dialog.getByText('By command or request').click();
  await dialog
    .getByText(`svc execution fork ${id} --at charge --patch '{"currency":"EUR"}'`, { exact: true })
    .waitFor();
  await page.setViewportSize({ width: 375, height: 800 });
  t.deepEqual(await findCutOff(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Fork execution' }).click();

  const fork = await untilOther(page, id);
  await lineage(page)
    .getByText(/^Fork of .* at charge Compare$/)
    .waitFor();
  t.is((await tenant.read(fork)).state['currency'], 'EUR');
  t.deepEqual(await checkAccessibility(page), []);
  await lineage(page).getByRole('link', { name: id, exact: true }).click();
  await page.waitForURL(place.at(`executions/${id}`));
  await lineage(page)
    .getByText(/^Forked as .* at charge running Compare$/)
    .waitFor();
  await lineage(page).getByRole('link', { name: fork, exact: true }).click();
  await page.waitForURL(place.at(`executions/${fork}`));
});

story('a fork begins after an event, and a refusal says why', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ORDER);
  await tenant.work('quote');
  await tenant.work('charge');
  await tenant.work('ship');
  await tenant.until(id, 'completed');
  const events = await tenant.events(id);
  const charged = events.findIndex(
    ({ kind, node_id: node }) => kind === 'NodeCompleted' && node === 'charge',
  );
  await place.open(`executions/${id}?at=${events.length}`);
  await page.getByRole('button', { name: `Fork after event ${events.length}` }).click();
  const refused = page.getByRole('dialog', { name: `Fork after event ${events.length}` });
  await refused
    .getByRole('alert')
    .getByText(/nothing was left to run/)
    .waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await refused.getByRole('button', { name: 'Keep' }).click();
  await page.goto(place.at(`executions/${id}?at=${charged + 1}`));
  await page.getByRole('button', { name: `Fork after event ${charged + 1}` }).click();
  const dialog = page.getByRole('dialog', { name: `Fork after event ${charged + 1}` });
  const preview = dialog.getByRole('region', { name: 'What the fork does' });
  await preview.getByText('quote, charge', { exact: true }).waitFor();
  // The definition that was registered last has no node to continue at.
  await tenant.register({ workflow_id: 'order', nodes: { other: fn('other') } });
  await dialog.getByLabel('Use the definition that was registered last').check();
  await preview.getByText(/has no node ship/).waitFor();
  await dialog.getByLabel('Use the definition that was registered last').uncheck();
  await preview.getByText('quote, charge', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Fork execution' }).click();
  const fork = await untilOther(page, id);
  await lineage(page)
    .getByText(new RegExp(`^Fork of .* after event ${charged + 1} Compare$`))
    .waitFor();
  await tenant.work('ship');
  await tenant.until(fork, 'completed');
});

story('the failed items of a map run again alone', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(PARCELS, { parcels: ['x', 'y', 'z'] });
  for (const item of [await tenant.claim(), await tenant.claim(), await tenant.claim()]) {
    const { parcel } = item.payload['input'] as { readonly parcel: string };
    if (parcel === 'y') await tenant.fail(item, { error: 'lost' });
    else await tenant.complete(item, { parcel });
  }
  await tenant.until(id, 'completed');
  await place.open(`executions/${id}?node=each`);
  await page.getByRole('button', { name: 'Rerun the failed items' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rerun the failed items of each' });
  await dialog.getByText('2 of each', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Fork execution' }).click();
  const fork = await untilOther(page, id);
  const again = await tenant.claim();
  t.like(again.payload['input'], { parcel: 'y' });
  await tenant.complete(again, { parcel: 'y' });
  await tenant.until(fork, 'completed');
  // All items succeeded here, so no items are offered.
  await page.goto(place.at(`executions/${fork}?node=each`));
  await page.getByRole('button', { name: 'Fork from each' }).waitFor();
  t.is(await page.getByRole('button', { name: 'Rerun the failed items' }).count(), 0);
});

story('many forks are read page by page, and a reader is offered no fork', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ORDER);
  for (let made = 0; made < FORKS; made += 1) {
    expectStatus(await tenant.post(`/executions/${id}/fork`, { at: 1 }), 201);
  }
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at(`executions/${id}?node=quote&at=1`));
  const links = lineage(page).getByRole('listitem').filter({ hasText: 'Forked as' });
  await links.nth(9).waitFor();
  t.is(await links.count(), 10);
  await lineage(page).getByRole('button', { name: 'Show more' }).click();
  await links.nth(FORKS - 1).waitFor();
  t.is(await lineage(page).getByRole('button', { name: 'Show more' }).count(), 0);
  await page.getByRole('region', { name: 'Payload of event 1' }).waitFor();
  t.is(await page.getByRole('button', { name: /^Fork / }).count(), 0);
  await page.goto(place.at(`executions/${id}?node=quote`));
  await nodes(page).getByRole('button', { name: 'quote' }).waitFor();
  t.is(await page.getByRole('button', { name: /^Fork / }).count(), 0);
  t.deepEqual(await checkAccessibility(page), []);
});
