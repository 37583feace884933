import type { Page } from 'playwright-core';

import type { TestTenant } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser, type Place } from './support/in-browser.ts';

const story = inBrowser();
const call = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const once = { ...call, retry_policy: { max_attempts: 1 } };

/** One execution of `refunds` that failed, and some of `orders` that wait for a worker. */
async function fill(tenant: TestTenant, count: number): Promise<readonly string[]> {
  await tenant.register({ workflow_id: 'refunds', nodes: { pay: once } });
  await tenant.register({ workflow_id: 'orders', nodes: { pack: call } });
  const failed = await tenant.start('refunds');
  await tenant.breakDown('pay');
  await tenant.until(failed, 'failed');
  const ids = [failed];
  for (let made = 0; made < count; made += 1) ids.push(await tenant.start('orders'));
  return ids;
}

const DEFAULT_COLUMNS = ['Started', 'Duration', 'Waits for', 'Error'];

const rowsOf = (page: Page) => page.getByRole('list', { name: 'Executions' }).getByRole('listitem');
const rowOf = (page: Page, id = '') =>
  rowsOf(page).filter({ has: page.locator(`a[href$="${id}"]`) });

story('a person finds executions by a query, by a status and by their time', async (t, place) => {
  const { page, tenant, open } = place;
  const [failed, first, second] = await fill(tenant, 2);
  await open('executions');
  for (const id of [failed, first, second]) await rowOf(page, id).waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  await page.getByRole('button', { name: 'failed 1' }).click();
  await rowOf(page, first).waitFor({ state: 'detached' });
  t.is(await rowsOf(page).count(), 1);
  await page.getByRole('button', { name: 'failed 1' }).click();
  await rowOf(page, first).waitFor();

  const query = page.getByRole('combobox', { name: 'Query' });
  await query.fill('status = broken');
  await query.press('Escape');
  await page.getByText('Character 10: no status is named broken').waitFor();
  await query.fill('');
  await query.pressSequentially('wor');
  const words = page.getByRole('listbox', { name: 'Words' });
  await words.getByRole('option', { name: 'workflow' }).waitFor();
  await query.press('ArrowDown');
  await query.press('Enter');
  await query.pressSequentially('= o');
  await words.getByRole('option', { name: 'orders' }).click();
  await query.press('Escape');
  await rowOf(page, failed).waitFor({ state: 'detached' });
  for (const id of [first, second]) await rowOf(page, id).waitFor();

  const times = page.getByRole('slider', { name: 'Starts over time' });
  await times.press('Home');
  await times.press('Shift+End');
  await times.press('Enter');
  await page.getByText('Chosen time').waitFor();
  await page.reload();
  await page.getByText('Chosen time').waitFor();
  await rowOf(page, first).waitFor();
  t.is(await query.inputValue(), 'workflow = orders ');
  await page.getByRole('button', { name: 'Remove Chosen time' }).click();

  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByLabel('Name').fill('My orders');
  await page.getByRole('button', { name: 'Save' }).click();
  await query.fill('status = paused');
  await page.getByText('No execution fits').waitFor();
  await page.getByRole('button', { name: 'Remove all filters' }).click();
  await rowOf(page, failed).waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'My orders', exact: true }).click();
  await rowOf(page, failed).waitFor({ state: 'detached' });
  await rowOf(page, first).waitFor();
});

story('executions are counted by a label, and a count narrows the list', async (t, place) => {
  const { page, tenant, open } = place;
  await tenant.register({ workflow_id: 'orders', nodes: { pack: call } });
  const ids: string[] = [];
  for (const customer of ['acme', 'acme', 'Brown "& Co"']) {
    ids.push(await tenant.start('orders', {}, { labels: { customer } }));
  }
  const [, second, brown] = ids;
  const plain = await tenant.start('orders');
  await open('executions');
  await rowOf(page, plain).waitFor();
  const groups = page.getByRole('list', { name: 'Executions by labels.customer' });
  t.is(await groups.count(), 0);
  await page.getByLabel('Group by').selectOption('labels.customer');
  await groups.getByRole('button', { name: 'acme 2' }).waitFor();
  await groups.getByText('without it 1').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await groups.getByRole('button', { name: 'Brown "& Co" 1' }).click();
  await rowOf(page, second).waitFor({ state: 'detached' });
  await rowOf(page, brown).waitFor();
  await groups.getByRole('button', { name: 'acme' }).waitFor({ state: 'detached' });
  const query = page.getByRole('combobox', { name: 'Query' });
  t.is(await query.inputValue(), String.raw`labels.customer = "Brown \"& Co\""`);
  await page.getByLabel('Group by').selectOption('workflow');
  await page
    .getByRole('list', { name: 'Executions by workflow' })
    .getByRole('button', { name: 'orders 1' })
    .click();
  await page.waitForURL(/and\+workflow/);
  t.true((await query.inputValue()).endsWith(' and workflow = "orders"'));
  await page.reload();
  await page.getByRole('list', { name: 'Executions by workflow' }).waitFor();
  await page.getByLabel('Group by').selectOption('');
  await page.getByRole('list', { name: 'Executions by workflow' }).waitFor({ state: 'detached' });
});

story('a person finds executions by the class of an error', async (t, place) => {
  const { page, tenant, open } = place;
  const [failed, first] = await fill(tenant, 1);
  await open('executions');
  await page.getByText('Columns').click();
  for (const column of ['Error class', 'Failed node']) await page.getByLabel(column).check();
  await rowOf(page, failed).getByText('pay', { exact: true }).waitFor();
  await rowOf(page, first).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await rowOf(page, failed)
    .getByRole('button', { name: /failed with error$/ })
    .click();
  await rowOf(page, first).waitFor({ state: 'detached' });
  await rowOf(page, failed).waitFor();
  const query = page.getByRole('combobox', { name: 'Query' });
  t.is(await query.inputValue(), 'error_class = "error"');
});

story('a choice of columns hides what the person hid, and later columns show', async (t, place) => {
  const { page, tenant, open } = place;
  const [failed] = await fill(tenant, 0);
  const header = page.getByRole('region', { name: 'Executions' }).locator('[aria-hidden="true"]');
  const titles = async () => {
    await rowOf(page, failed).waitFor();
    const cells = await header.first().locator('span').allInnerTexts();
    return cells.filter((title) => title !== '');
  };
  await open('executions');
  t.deepEqual(await titles(), ['Status', 'Execution', ...DEFAULT_COLUMNS]);
  await page.getByText('Columns').click();
  await page.getByLabel('Started').uncheck();
  await page.getByLabel('Error class').check();
  const own = ['Status', 'Execution', 'Duration', 'Waits for', 'Error class', 'Error'];
  t.deepEqual(await titles(), own);
  await page.reload();
  t.deepEqual(await titles(), own);
  t.is(
    await page.evaluate(() => localStorage.getItem('svc.executions.columns')),
    '+class,-started',
  );

  // A choice of version 0.4.0, which had no column "Waits for".
  await page.evaluate(() => localStorage.setItem('svc.executions.columns', 'started,ended'));
  await page.reload();
  t.deepEqual(await titles(), ['Status', 'Execution', 'Started', 'Ended', 'Waits for']);
  await page.getByText('Columns').click();
  await page.getByLabel('Ended').uncheck();
  for (const title of ['Duration', 'Error']) await page.getByLabel(title, { exact: true }).check();
  t.deepEqual(await titles(), ['Status', 'Execution', ...DEFAULT_COLUMNS]);
  t.is(await page.evaluate(() => localStorage.getItem('svc.executions.columns')), null);
});

story('an action on many hits what its preview showed, and nothing else', async (t, place) => {
  const { page, tenant, open } = place;
  const [failed, first, second, third] = await fill(tenant, 3);
  await open('executions');
  for (const id of [first, second])
    await page.getByRole('checkbox', { name: `Select ${id}` }).check();
  await page.getByRole('button', { name: 'Act on 2 selected' }).click();
  await page.getByRole('menuitem', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(first ?? '').waitFor();
  t.is(await dialog.getByText(third ?? '').count(), 0);
  t.deepEqual(await checkAccessibility(page), []);
  const button = dialog.getByRole('button', { name: 'cancel 2 executions' });
  t.true(await button.isDisabled());
  await dialog.getByLabel('Type cancel to confirm').fill('cancel');
  await button.click();
  await dialog.getByText('cancel: 2 done, 0 refused.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  t.is((await tenant.read(first ?? '')).status, 'cancelled');
  t.is((await tenant.read(third ?? '')).status, 'running');

  await page
    .getByRole('combobox', { name: 'Query' })
    .fill('workflow = orders and status = running');
  await rowOf(page, failed).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Act on all that match' }).click();
  await page.getByRole('menuitem', { name: 'Pause…' }).click();
  await dialog.getByText(third ?? '').waitFor();
  const later = await tenant.start('orders');
  await dialog.getByLabel('Reason').fill('the bank is closed');
  await dialog.getByLabel('Type pause to confirm').fill('pause');
  await dialog.getByRole('button', { name: 'pause 1 executions' }).click();
  await dialog.getByText('pause: 1 done, 0 refused.').waitFor();
  t.is((await tenant.read(third ?? '')).status, 'paused');
  t.is((await tenant.read(later)).status, 'running');
});

story('new executions appear at the top, and never under a reader', async (t, place) => {
  const { page, tenant, open } = place;
  await tenant.register({ workflow_id: 'orders', nodes: { pack: call } });
  const many = Array.from({ length: 120 }, () => ({ workflow_id: 'orders', input: {} }));
  await tenant.post('/executions/batch', { executions: many });
  await open('executions');
  await page.getByRole('button', { name: 'running 120' }).waitFor();
  const first = await tenant.start('orders');
  await rowOf(page, first).waitFor();

  const list = page.getByRole('region', { name: 'Executions' });
  await list.evaluate((element) => element.scrollTo(0, 900));
  await rowOf(page, first).waitFor({ state: 'detached' });
  const read = rowsOf(page).and(page.locator('[aria-posinset="30"]')).getByRole('link');
  const address = await read.getAttribute('href');
  const second = await tenant.start('orders');
  await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
  t.is(await read.getAttribute('href'), address);
  await list.evaluate((element) => element.scrollTo(0, 0));
  await rowOf(page, second).waitFor();
  // The last page arrives as the end of the list comes into view.
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await rowsOf(page).and(page.locator('[aria-posinset="101"]')).waitFor();
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await rowsOf(page).and(page.locator('[aria-posinset="122"]')).waitFor();
});

story('a viewer finds executions and is offered no action', async (t, place) => {
  await fill(place.tenant, 1);
  await openAs(place, 'viewer');
  const { page } = place;
  await rowsOf(page).first().waitFor();
  await page.getByRole('combobox', { name: 'Query' }).fill('status = failed');
  await page.getByRole('button', { name: 'failed 1' }).waitFor();
  t.is(await page.getByRole('checkbox', { name: /^Select/ }).count(), 0);
  t.is(await page.getByRole('button', { name: /^Act on/ }).count(), 0);
  t.is(await page.getByRole('link', { name: 'Start an execution' }).count(), 0);
});

async function openAs({ page, at, newToken, signIn }: Place, role: 'viewer'): Promise<void> {
  await signIn(await newToken(role));
  await page.goto(at('executions'));
}
