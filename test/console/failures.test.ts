import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { TestTenant } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { findCutOff } from './support/find-cut-off.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

function charging(workflowId: string, attempts: number): JsonObject {
  const retry_policy = { max_attempts: attempts };
  return {
    workflow_id: workflowId,
    nodes: { charge: { kind: 'python_fn', module: 'bank', function: 'charge', retry_policy } },
  };
}

async function failOrder(tenant: TestTenant, order: number): Promise<string> {
  const id = await tenant.run(charging('charging', 1));
  await tenant.breakDown('charge', { error: `card 4242 declined for order ${order}` });
  await tenant.until(id, 'failed');
  return id;
}

story('failures of one cause are one group, and all of it is retried', async (t, place) => {
  const { page, tenant } = place;
  const ids = [await failOrder(tenant, 7), await failOrder(tenant, 81), await failOrder(tenant, 9)];
  await place.open('failures');
  const executions = page.getByRole('article', { name: /^node charge failed: card … declined/ });
  await executions.getByText('3 times').waitFor();
  await executions.getByText('that failed at node charge').waitFor();
  const letters = page.getByRole('article', { name: /^card … declined for order …$/ });
  await letters.getByText('3 times').waitFor();
  await letters.getByText('tool bank.charge').waitFor();
  await letters.getByRole('region', { name: 'Latest message' }).getByText('order 9').waitFor();
  // Their executions have ended: no node waits for these items.
  t.is(await letters.getByRole('button', { name: /Requeue/ }).count(), 0);
  t.deepEqual(await checkAccessibility(page), []);

  await executions.getByRole('button', { name: 'Retry all 3' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry 3 executions' });
  for (const id of ids) await dialog.getByText(id).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await dialog.getByText('3 of 3 retried, 0 refused').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  for (const _ of ids) await tenant.work('charge', { charged: true });
  await executions.getByText(/^Executions/).click();
  await executions.getByRole('link', { name: ids[0] ?? '' }).click();
  await page.waitForURL((url) => url.pathname.endsWith(`/executions/${ids[0]}`));
});

story(
  'a dead letter of a live execution is requeued, and a viewer only reads',
  async (t, place) => {
    const { page, tenant } = place;
    const id = await tenant.run(charging('waiting', 3), { order: 7 });
    const item = await tenant.claimOf('charge');
    t.is(
      (await tenant.fail(item, { lease_fence: null, error: 'the worker was lost' })).status,
      200,
    );
    await place.signIn(await place.newToken('viewer'));
    await page.goto(place.at('failures'));
    const group = page.getByRole('article', { name: 'the worker was lost' });
    await group.getByText('once').waitFor();
    t.is(await page.getByRole('button', { name: /Requeue/ }).count(), 0);
    t.is(await page.getByRole('tab').count(), 0);

    await place.signIn(await place.newToken('developer'));
    await page.reload();
    await page.getByRole('tab', { name: 'Dead letters' }).click();
    const letters = page.getByRole('table', { name: 'Dead letters' });
    await letters.getByText('the worker was lost').waitFor();
    t.deepEqual(await checkAccessibility(page), []);
    await letters.getByRole('button', { name: /^Show / }).click();
    const shown = page.getByRole('dialog', { name: 'Dead letter' });
    await shown.getByText('1 of 3', { exact: true }).waitFor();
    await shown.getByText('is possible', { exact: true }).first().waitFor();
    await shown.getByRole('region', { name: 'Input of the item' }).getByText('7').waitFor();
    t.deepEqual(await checkAccessibility(page), []);
    await page.setViewportSize({ width: 375, height: 800 });
    t.deepEqual(await findCutOff(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await shown.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('tab', { name: 'By cause' }).click();
    await group.getByRole('button', { name: 'Requeue one' }).click();
    const dialog = page.getByRole('dialog', { name: 'Requeue one item' });
    await dialog.getByText(id).waitFor();
    await dialog.getByRole('button', { name: 'Requeue', exact: true }).click();
    await dialog.getByText('1 of 1 requeued, 0 refused').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Nothing failed in this time').waitFor();
    await tenant.work('charge', { charged: true });
    await tenant.until(id, 'completed');
  },
);

story(
  'a query finds the failures of a customer, and more causes come by page',
  async (t, place) => {
    const { page, tenant } = place;
    await tenant.register(charging('charging', 1));
    const fail = async (customer: string, error: string) => {
      const id = await tenant.start('charging', {}, { labels: { customer } });
      await tenant.breakDown('charge', { error });
      await tenant.until(id, 'failed');
    };
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    for (const word of words) await fail('brown', `the ${word} bank is closed`);
    await fail('acme', "the card can't be charged");
    await place.open('failures');
    const groups = page.getByRole('list', { name: 'Causes of failures' }).getByRole('article');
    await groups.nth(19).waitFor();
    t.is(await groups.count(), 20);
    await page.getByRole('button', { name: 'Show more' }).click();
    await groups.nth(21).waitFor();
    t.is(await page.getByRole('button', { name: 'Show more' }).count(), 0);

    const query = page.getByRole('combobox', { name: 'Query' });
    await query.fill('labels.customer = acme and error ~ "can\'t"');
    await query.press('Escape');
    await groups.nth(2).waitFor({ state: 'detached' });
    await page.getByRole('article', { name: "the card can't be charged", exact: true }).waitFor();
    t.is(await groups.count(), 2);
    t.deepEqual(await checkAccessibility(page), []);
    await page.reload();
    await groups.nth(1).waitFor();
    t.is(await groups.count(), 2);
    await query.fill('labels.customer = nobody');
    await query.press('Escape');
    await page.getByText('Nothing failed in this time').waitFor();
    await query.fill('labels.customer =');
    await query.press('Escape');
    await page.getByText('Character 18:').waitFor();
  },
);

story('a long error of a dead letter is folded until somebody asks for it', async (t, place) => {
  const { page, tenant } = place;
  const error = `${'the answer of the bank was not understood, '.repeat(20)}at line 7`;
  const id = await tenant.run({
    nodes: {
      pay: {
        kind: { type: 'python_fn', module: 'bank', function: 'pay' },
        retry_policy: 'no_retry',
      },
    },
  });
  await tenant.breakDown('pay', { error, retryable: false });
  await tenant.until(id, 'failed');
  await place.open('failures?tab=dead');
  await page.getByRole('tab', { name: 'Dead letters' }).click();
  const letters = page.getByRole('region', { name: 'Dead letters' });
  const whole = letters.getByText(/at line 7$/);
  await letters
    .getByText(/^the answer of the bank/)
    .first()
    .waitFor();
  t.false(await whole.isVisible());
  await page.setViewportSize({ width: 420, height: 900 });
  const box = await letters.locator('summary').boundingBox();
  t.true((box?.height ?? Infinity) < 250, `the folded error is ${box?.height} pixels high`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await letters.locator('summary').click();
  await whole.waitFor();
  t.deepEqual(await checkAccessibility(page), []);
});
