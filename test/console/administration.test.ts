import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser, WAIT_MS } from './support/in-browser.ts';

const story = inBrowser();

story('an operator filters the audit log, saves it and verifies it', async (t, place) => {
  const { page, tenant, open } = place;
  const body = { name: 'Night shift', role: 'viewer' };
  expectStatus(await tenant.post('/tokens', body), 201);
  await tenant.register({ nodes: { a: { kind: 'human_approval' } } });
  const id = await tenant.start('w');
  await open('audit');
  await page.getByRole('button', { name: 'workflow_registered' }).waitFor();
  await page.getByLabel('Action').fill('token_created');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'workflow_registered' }).waitFor({ state: 'hidden' });
  t.is(new URL(page.url()).searchParams.get('action'), 'token_created');
  const items = page.getByRole('list', { name: 'Audit items' });
  await items.getByRole('listitem').filter({ hasText: 'Night shift' }).getByRole('button').click();
  const details = page.getByRole('dialog', { name: 'token_created' });
  await details.getByText('"viewer"').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await details.getByRole('button', { name: 'Close' }).click();
  await details.waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByLabel('Execution').fill(id);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await items.getByRole('link', { name: id }).first().waitFor();
  await page.getByRole('button', { name: 'workflow_registered' }).waitFor({ state: 'hidden' });
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: WAIT_MS }),
    page.getByRole('button', { name: 'Export as JSON Lines' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as { execution_id: string }).execution_id);
  t.deepEqual(new Set(ids), new Set([id]));

  await page.getByRole('button', { name: 'Verify…' }).click();
  const verify = page.getByRole('dialog', { name: 'Verify the audit log' });
  await verify.getByRole('button', { name: 'Verify' }).click();
  await verify.getByText('matches its seals', { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await verify.getByLabel('Head kept elsewhere').fill(`999999:${'f'.repeat(64)}`);
  await verify.getByRole('button', { name: 'Verify' }).click();
  await verify.getByText('does not match its seals', { exact: true }).waitFor();
  await verify.getByText('window missing').waitFor();
});

story('a new token signs in elsewhere until it is revoked', async (t, place) => {
  const { page, context, open, at } = place;
  await open('tokens');
  await page.getByRole('button', { name: 'Create token…' }).first().click();
  const create = page.getByRole('dialog', { name: 'Create a token' });
  await create.getByLabel('Name').fill('Visitor');
  await create.getByLabel('Role').selectOption('reviewer');
  await create.getByText('decides approvals').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await create.getByRole('button', { name: 'Create token' }).click();
  const made = page.getByRole('dialog', { name: 'Token Visitor' });
  const secret = await made.getByText(/^svc_/).innerText();
  await made.getByRole('button', { name: 'I have copied it' }).click();
  await made.waitFor({ state: 'hidden' });
  await page.getByText(secret).waitFor({ state: 'hidden' });
  await rowOf(page, 'Visitor').getByText('active').waitFor();

  const elsewhere = await context.browser()?.newContext();
  if (elsewhere === undefined) throw new Error('the browser is gone');
  elsewhere.setDefaultTimeout(WAIT_MS);
  try {
    const other = await elsewhere.newPage();
    await other.goto(at('audit'));
    await other.getByLabel('Token').fill(secret);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Revoke Visitor' }).click();
    const revoke = page.getByRole('dialog', { name: 'Revoke token Visitor' });
    const act = revoke.getByRole('button', { name: 'Revoke token' });
    t.true(await act.isDisabled());
    await revoke.getByLabel('Type Visitor to confirm').fill('Visitor');
    await act.click();
    await revoke.waitFor({ state: 'hidden' });
    await rowOf(page, 'Visitor').getByText('revoked').waitFor();
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in to svc' }).waitFor();
  } finally {
    await elsewhere.close();
  }
});

story('a rotated token is shown once, and both are accepted for a while', async (t, place) => {
  const { page, tenant, open, runtime } = place;
  const body = { name: 'Robot', role: 'worker' };
  const old = expectStatus(await tenant.post<{ token: string }>('/tokens', body), 201);
  await open('tokens');
  await page.getByRole('button', { name: 'Rotate Robot' }).click();
  const rotate = page.getByRole('dialog', { name: 'Rotate token Robot' });
  await rotate.getByRole('button', { name: 'Rotate token' }).click();
  const made = page.getByRole('dialog', { name: 'Token Robot' });
  const secret = await made.getByText(/^svc_/).innerText();
  t.not(secret, old.token);
  await made.getByRole('button', { name: 'I have copied it' }).click();
  const claim = { worker_id: 'w', queue_types: ['python_tool'] };
  for (const token of [old.token, secret]) {
    const reply = await runtime.request({
      method: 'POST',
      path: '/work-items/claim',
      token,
      body: claim,
    });
    t.is(reply.status, 200);
  }
  await page.getByRole('button', { name: 'Rotate Robot' }).waitFor();
  t.is(await page.getByRole('button', { name: 'Rotate Robot' }).count(), 1);
});

story('a tenant is created, limited and suspended by its id', async (t, place) => {
  const { page, signIn, at, runtime, tenant } = place;
  const id = `made-${tenant.tenantId}`.slice(0, 63);
  await signIn(runtime.apiKey);
  await page.goto(at('tenants'));
  await page.getByRole('button', { name: 'Create tenant…' }).first().click();
  const create = page.getByRole('dialog', { name: 'Create a tenant' });
  await create.getByLabel('Id').fill(id);
  await create.getByLabel('Name').fill('Made here');
  await create.getByRole('button', { name: 'Create tenant' }).click();
  await create.waitFor({ state: 'hidden' });
  await rowOf(page, id).getByText('active').waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  await page.getByRole('button', { name: `Change ${id}` }).click();
  await page.getByRole('menuitem', { name: 'Name and limits…' }).click();
  const edit = page.getByRole('dialog', { name: `Change tenant ${id}` });
  await edit.getByLabel('Requests a second').fill('50');
  await edit.getByLabel('Executions at a time').fill('5');
  await edit.getByLabel('Further starts').selectOption('Wait for a place');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'hidden' });
  await rowOf(page, id).getByText('requests a second: 50').waitFor();
  await rowOf(page, id).getByText('further starts wait').waitFor();

  await page.getByRole('button', { name: `Change ${id}` }).click();
  await page.getByRole('menuitem', { name: 'Suspend…' }).click();
  const suspend = page.getByRole('dialog', { name: `Suspend tenant ${id}` });
  const act = suspend.getByRole('button', { name: 'Suspend tenant' });
  await suspend.getByLabel(`Type ${id} to confirm`).fill('default');
  t.true(await act.isDisabled());
  await suspend.getByLabel(`Type ${id} to confirm`).fill(id);
  await act.click();
  await suspend.waitFor({ state: 'hidden' });
  await rowOf(page, id).getByText('suspended').waitFor();
  const write = {
    method: 'POST',
    path: '/tokens',
    body: { name: 'late', role: 'viewer' },
  } as const;
  t.is((await runtime.request({ ...write, tenantId: id })).status, 403);
});

story('settings are found by a word, with their origins and without secrets', async (t, place) => {
  const { page, signIn, at, runtime } = place;
  await signIn(runtime.apiKey);
  await page.goto(at('settings'));
  await rowOf(page, 'runtime.workers').waitFor();
  await page.getByLabel('Filter settings').fill('auth.api_key');
  await rowOf(page, 'runtime.workers').waitFor({ state: 'hidden' });
  const row = rowOf(page, 'auth.api_key');
  await row.getByText('***').waitFor();
  t.regex(await row.innerText(), /SVC_AUTH_API_KEY/);
  t.false((await page.content()).includes(runtime.apiKey));
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByLabel('Filter settings').fill('no such setting');
  await page.getByText('No setting matches').waitFor();
  await page.getByLabel('Filter settings').fill('');
  await page.getByRole('button', { name: 'Only those that are set' }).click();
  await rowOf(page, 'runtime.workers').waitFor({ state: 'hidden' });
  await rowOf(page, 'database.url').waitFor();
});

story('the doctor, the processes, and a retention policy with its preview', async (t, place) => {
  const { page, signIn, at, runtime, dialect } = place;
  await signIn(runtime.apiKey);
  await page.goto(at('system'));
  const database = page.getByRole('region', { name: 'Database' });
  await database
    .getByText(dialect === 'postgres' ? 'PostgreSQL' : 'SQLite', { exact: true })
    .waitFor();
  t.is(await page.getByText(/^More items are at work/).count(), 0);
  // As with more items than the service counts.
  await page.route(/\/api\/system$/, async (route) => {
    const answer = await route.fetch();
    const system = (await answer.json()) as object;
    await route.fulfill({ response: answer, json: { ...system, active_items_are_exact: false } });
  });
  await page.reload();
  await page.getByText(/^More items are at work/).waitFor();
  await page.getByRole('button', { name: 'Run the checks' }).click();
  await rowOf(page, 'migrations').getByText('ok', { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByRole('button', { name: 'Set policy…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set a retention policy of default' });
  await dialog.getByLabel('Workflow').fill('never-registered');
  await dialog.getByLabel('Failed: days after the end').fill('30');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('0 executions would be removed').waitFor();
  await dialog.getByRole('button', { name: 'Set policy' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await rowOf(page, 'never-registered').getByText('30 days').waitFor();
  await page.getByRole('button', { name: 'Remove the policy of never-registered' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove the policy of never-registered' });
  await remove.getByLabel('Type never-registered to confirm').fill('never-registered');
  await remove.getByRole('button', { name: 'Remove policy' }).click();
  await rowOf(page, 'never-registered').waitFor({ state: 'hidden' });
});

story(
  'a reader sees the audit log, and is offered nothing that it may not do',
  async (t, place) => {
    const { page, signIn, at, newToken, tenant } = place;
    await tenant.register({ nodes: { a: { kind: 'human_approval' } } });
    await signIn(await newToken('viewer'));
    await page.goto(at('audit'));
    await page.getByRole('button', { name: 'workflow_registered' }).waitFor();
    const places = page.getByRole('navigation', { name: 'Places' });
    await places.getByRole('link', { name: 'Audit' }).waitFor();
    for (const name of ['Tokens', 'Tenants', 'Settings', 'System']) {
      t.is(await places.getByRole('link', { name }).count(), 0, name);
    }
    t.is(await page.getByRole('button', { name: 'Verify…' }).count(), 0);
    await page.goto(at('tokens'));
    await page
      .getByRole('alert')
      .getByText(/insufficient role/)
      .waitFor();
    await page.getByText(/^Request/).waitFor();
    await page.goto(at('settings'));
    await page.getByText('Settings are for operators of the installation').waitFor();
  },
);

story('an operator of another tenant is offered nothing of the installation', async (t, place) => {
  const { page, open, at } = place;
  await open('settings');
  await page.getByText('Settings are for operators of the installation').waitFor();
  await page.goto(at('system'));
  await page.getByText('The installation is for its operators').waitFor();
  await page.getByRole('heading', { name: 'Retention' }).waitFor();
  t.is(await page.getByRole('button', { name: 'Run the checks' }).count(), 0);
  t.is(await page.getByRole('alert').count(), 0);
  const places = page.getByRole('navigation', { name: 'Places' });
  await places.getByRole('link', { name: 'Tokens' }).waitFor();
  for (const name of ['Settings', 'System']) {
    t.is(await places.getByRole('link', { name }).count(), 0, name);
  }
});

story('the pages of administrators fit a phone', async (t, place) => {
  const { page, signIn, at, runtime } = place;
  const body = { name: 'Pocket', role: 'viewer' };
  expectStatus(await runtime.request({ method: 'POST', path: '/tokens', body }), 201);
  await signIn(runtime.apiKey);
  await page.setViewportSize({ width: 375, height: 700 });
  for (const [path, content] of PHONE_PAGES) {
    await page.goto(at(path));
    await page.getByRole('region', { name: content }).first().waitFor();
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    t.is(wide, 375, path);
    t.deepEqual(await checkAccessibility(page), [], path);
  }
});

const PHONE_PAGES = [
  ['audit', 'Audit items'],
  ['tokens', 'Tokens'],
  ['tenants', 'Tenants'],
  ['settings', 'Settings'],
  ['system', 'Processes'],
] as const;

/** The row of a table that has this text in it. */
function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}
