import type { Page } from 'playwright-core';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { findCutOff } from './support/find-cut-off.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

const fn = (name: string): JsonObject => ({
  kind: { type: 'python_fn', module: 'shop', function: name },
  retry_policy: 'no_retry',
  output_key: name,
});
const ORDER: JsonObject = {
  workflow_id: 'order',
  nodes: { quote: fn('quote'), charge: fn('charge'), ship: fn('ship') },
  edges: [
    { from: 'quote', to: 'charge' },
    { from: 'charge', to: 'ship' },
  ],
};
/** Larger than a list of events shows, and than the page of an execution needs. */
const LARGE = 'x'.repeat(100_000);

const rows = (page: Page, table: string) =>
  page.getByRole('region', { name: table }).getByRole('row');
const rowOf = (page: Page, name: string) =>
  rows(page, 'Nodes that differ').filter({ has: page.getByText(name, { exact: true }) });

story('a fork is compared with its original from its lineage', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ORDER, { currency: 'USD' });
  await tenant.work('quote', { price: 5 });
  await tenant.work('charge', { paid: 5 });
  await tenant.breakDown('ship', { error: 'the carrier is closed' });
  await tenant.until(id, 'failed');
  const body = { at: 'charge', patch: { currency: 'EUR', coupon: 'ten' } };
  const forked = await tenant.post<{ execution_id: string }>(`/executions/${id}/fork`, body);
  const fork = expectStatus(forked, 201).execution_id;
  await tenant.work('charge', { paid: 4 });
  await tenant.work('ship', {});
  await tenant.until(fork, 'completed');

  await place.open(`executions/${id}`);
  await page.getByRole('link', { name: `Compare with ${fork}` }).click();
  await page.waitForURL(place.at(`executions/${id}/compare?with=${fork}`));
  await page.getByText('the other is a fork of the one').waitFor();
  await page.getByText('They part at').locator('..').getByText('charge').waitFor();
  await rowOf(page, 'charge').getByText('{"paid":4}').waitFor();
  await rowOf(page, 'ship').getByText('the carrier is closed').waitFor();
  t.is(await rowOf(page, 'quote').count(), 0);
  await page.getByText('Both began with the same input.').waitFor();
  const keys = rows(page, 'Keys of the states that differ');
  await keys.getByText('"EUR"').waitFor();
  const coupon = keys.filter({ has: page.getByText('coupon', { exact: true }) });
  await coupon.getByText('absent', { exact: true }).waitFor();
  await coupon.getByText('"ten"').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.setViewportSize({ width: 375, height: 800 });
  t.deepEqual(await findCutOff(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByLabel('Show visits that are alike').check();
  await rowOf(page, 'quote').getByText('kept').waitFor();
  await page.reload();
  await rowOf(page, 'quote').getByText('kept').waitFor();
  await rowOf(page, 'charge').getByRole('link').first().click();
  await page.waitForURL((url) => url.pathname.endsWith(`/executions/${id}`));
  t.is(new URL(page.url()).searchParams.get('node'), 'charge');
});

story('long errors are compared, and their beginnings shown', async (t, place) => {
  const { page, tenant } = place;
  const LONG = 'the carrier is closed '.repeat(20);
  const fail = async (end: string) => {
    const id = await tenant.run(ORDER, { currency: 'USD' });
    await tenant.breakDown('quote', { error: LONG + end });
    await tenant.until(id, 'failed');
    return id;
  };
  const [one, other] = [await fail('today'), await fail('tomorrow')];
  await place.open(`executions/${one}/compare?with=${other}`);
  const row = rowOf(page, 'quote');
  await row.getByText('outcome', { exact: true }).waitFor();
  t.is(await row.getByText(/^the carrier is closed .*…$/).count(), 2);
  t.deepEqual(await checkAccessibility(page), []);
});

story('large outputs are compared, and only their beginnings shown', async (t, place) => {
  const { page, tenant } = place;
  const run = async (charged: string) => {
    const id = await tenant.run(ORDER, { currency: 'USD' });
    await tenant.work('quote', { text: LARGE });
    await tenant.work('charge', { text: charged });
    await tenant.work('ship', {});
    await tenant.until(id, 'completed');
    return id;
  };
  const one = await run(`${LARGE}a`);
  const other = await run(`${LARGE}b`);
  await place.open(`executions/${one}`);
  await page.getByRole('link', { name: 'Compare with another execution' }).click();
  await page.getByRole('heading', { name: 'Choose the other execution' }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByLabel('Compare with execution').fill(` ${other} `);
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.waitForURL(place.at(`executions/${one}/compare?with=${other}`));
  await page.getByText('Both began with the same input.').waitFor();
  await page.getByText('neither began from the other').waitFor();
  await rowOf(page, 'charge').getByText('output', { exact: true }).waitFor();
  t.is(await rows(page, 'Nodes that differ').count(), 2);
  t.true((await rowOf(page, 'charge').innerText()).length < 2_000);
});

story('a wrong id and a role without access say what is wrong', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ORDER);
  const missing = 'exec_0198c0de00007000a000000000000999';
  await place.open(`executions/${id}/compare?with=${missing}`);
  const alert = page.getByRole('alert');
  await alert.getByText(`not found: execution ${missing}`).waitFor();
  await alert.getByText(/retention may have removed it/).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.goto(place.at(`executions/${id}/compare?with=${id}`));
  await page.getByText('Both are the same execution.').waitFor();
  await page.getByText('Every node has the same outcome and output in both.').waitFor();

  const other = await place.runtime.newTenant();
  const body = { name: 'other', role: 'viewer' };
  const reply = await other.post<{ readonly token: string }>('/tokens', body);
  await place.signIn(expectStatus(reply, 201).token);
  await page.goto(place.at(`executions/${id}/compare?with=${id}`));
  await alert.getByText(`not found: execution ${id}`).waitFor();
});
