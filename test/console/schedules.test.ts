import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();
const IR = { workflow_id: 'report', version: '1', nodes: { done: { kind: 'pass' } } };

interface Listed {
  readonly schedules: readonly { readonly name: string; readonly next_fires: readonly string[] }[];
}

story(
  'a schedule is created with a preview, triggered, paused, changed and deleted',
  async (t, place) => {
    const { page, tenant } = place;
    expectStatus(await tenant.post('/workflows', { ir: IR }), 201);
    await place.open('schedules');
    await page.getByRole('heading', { name: 'There is no schedule yet' }).waitFor();
    await page.getByRole('button', { name: 'Create schedule…' }).click();

    // The field shows what is wrong with a timing, and a right one shows its fires.
    const dialog = page.getByRole('dialog', { name: 'Create a schedule' });
    await dialog.getByLabel('Name').fill('nightly');
    await dialog.getByLabel('Workflow', { exact: true }).fill('report');
    await dialog.getByLabel('Cron expression').fill('61 2 * * *');
    await dialog.getByRole('alert').getByText('cannot be read').waitFor();
    await dialog.getByLabel('Cron expression').fill('30 2 * * *');
    await dialog.getByLabel('Time zone').fill('Mars/Olympus');
    await dialog.getByRole('alert').getByText('not an IANA time zone').waitFor();
    await dialog.getByLabel('Time zone').fill('Asia/Tokyo');
    const fires = dialog.getByRole('list', { name: 'Next fires' }).getByRole('listitem');
    const evening = fires.filter({ has: page.locator('time[datetime$="T17:30:00.000Z"]') });
    await evening.nth(4).waitFor();
    t.is(await fires.count(), 5);
    await dialog.getByLabel('Input').fill('{"day":');
    await dialog.getByText('The input must be a JSON object.').waitFor();
    await dialog.getByLabel('Input').fill('{"day": "monday"}');
    t.deepEqual(await checkAccessibility(page), []);
    await dialog.getByRole('button', { name: 'Save schedule' }).click();
    await dialog.waitFor({ state: 'detached' });
    const table = page.getByRole('region', { name: 'Schedules' });
    await table.getByText('30 2 * * * (Asia/Tokyo)').waitFor();

    // Its execution starts now, in the caller's name.
    await table.getByRole('button', { name: 'Trigger nightly' }).click();
    const trigger = page.getByRole('dialog', { name: 'Trigger schedule nightly' });
    await trigger.getByText('"monday"').waitFor();
    await trigger.getByRole('button', { name: 'Start now' }).click();
    await page.waitForURL(/\/executions\/exec_/);
    await page.getByRole('heading', { name: 'report', level: 1 }).waitFor();
    await page.goBack();

    // Past fires start after a look at their number.
    await table.getByRole('button', { name: 'Backfill nightly' }).click();
    const backfill = page.getByRole('dialog', { name: 'Backfill schedule nightly' });
    await backfill.getByLabel('From').fill('2026-01-01');
    await backfill.getByLabel('To', { exact: true }).fill('2999-01-01');
    await backfill.getByText('to must have passed').waitFor();
    await backfill.getByLabel('To', { exact: true }).fill('2026-01-04');
    await backfill.getByText('3 of 3 fires have not started.').waitFor();
    t.deepEqual(await checkAccessibility(page), []);
    await backfill.getByRole('button', { name: 'Start fires' }).click();
    await page.getByText('Started 3 fires of nightly').waitFor();
    await backfill.waitFor({ state: 'detached' });

    await table.getByRole('button', { name: 'Pause nightly' }).click();
    await table.getByText('paused', { exact: true }).waitFor();
    await table.getByRole('button', { name: 'Resume nightly' }).click();
    await table.getByRole('button', { name: 'Pause nightly' }).waitFor();
    await table.getByRole('button', { name: 'Change nightly' }).click();
    const edit = page.getByRole('dialog', { name: 'Change schedule nightly' });
    await edit.getByLabel('Fires', { exact: true }).selectOption('every');
    await edit.getByLabel('Interval').fill('12h');
    await edit.getByRole('list', { name: 'Next fires' }).getByRole('listitem').nth(4).waitFor();
    await edit.getByRole('button', { name: 'Save schedule' }).click();
    await table.getByText('every 12h').waitFor();

    // The details are in the address.
    await table.getByRole('link', { name: 'nightly' }).click();
    await page.waitForURL((url) => url.searchParams.get('schedule') === 'nightly');
    const details = page.getByRole('list', { name: 'Next fires of nightly' });
    await details.getByRole('listitem').nth(9).waitFor();
    t.deepEqual(await checkAccessibility(page), []);
    await page.getByRole('button', { name: 'Close', exact: true }).click();

    await table.getByRole('button', { name: 'Delete nightly' }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete schedule nightly' });
    const remove = confirm.getByRole('button', { name: 'Delete schedule' });
    t.true(await remove.isDisabled());
    await confirm.getByLabel('Type nightly to confirm').fill('nightly');
    await remove.click();
    await page.getByRole('heading', { name: 'There is no schedule yet' }).waitFor();
    t.deepEqual((await tenant.get<Listed>('/schedules')).body.schedules, []);
  },
);

story('a viewer reads schedules and is offered no change', async (t, place) => {
  const { page, tenant } = place;
  expectStatus(await tenant.post('/workflows', { ir: IR }), 201);
  const body = { name: 'hourly', workflow_id: 'report', every: '1h', paused: true };
  expectStatus(await tenant.post('/schedules', body), 201);
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at('schedules'));
  const table = page.getByRole('region', { name: 'Schedules' });
  await table.getByText('every 1h').waitFor();
  const main = page.getByRole('main');
  t.is(await main.getByRole('button').count(), 0);
});
