import type { Page } from 'playwright-core';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';
import { pressUntil } from './support/press-until.ts';

const story = inBrowser();

/** A tool that a policy lets nobody call without an approval. */
const PAYING: JsonObject = {
  workflow_id: 'paying',
  policy: { require_approval_for: ['bank.pay'] },
  nodes: { pay: { kind: 'python_fn', module: 'bank', function: 'pay' } },
};

const PUBLISHING: JsonObject = {
  workflow_id: 'publishing',
  nodes: {
    sign: { kind: { type: 'human_approval', description: 'Publish it?', timeout_secs: 7_200 } },
  },
};

function heading(page: Page, name: string) {
  return page.getByRole('heading', { name, exact: true });
}

story('approvals are decided by keyboard, and a comment survives a reload', async (t, place) => {
  const { page, tenant } = place;
  const paid = await tenant.run(PAYING, { amount: 75, to: 'Miller & Sons' });
  await tenant.until(paid, 'paused');
  const published = await tenant.run(PUBLISHING);
  await tenant.until(published, 'paused');
  await place.open('inbox');
  await page.getByRole('button', { name: /call bank\.pay/ }).waitFor();
  await pressUntil(page, 'j', heading(page, 'Publish it?'));
  await page.getByText(/^Without a decision in .*, the node fails\.$/).waitFor();
  await pressUntil(page, 'k', heading(page, 'call bank.pay'));
  const asked = page.getByRole('region', { name: 'What is asked' });
  await asked.getByText('Miller & Sons').waitFor();
  await asked.getByText('75', { exact: true }).waitFor();

  const comment = page.getByLabel('Comment');
  await comment.fill('checked with the');
  await page.reload();
  await comment.waitFor();
  t.is(await comment.inputValue(), 'checked with the');
  t.deepEqual(await checkAccessibility(page), []);
  // From outside the field, `a` leads into it; Enter there records what `a` prepared.
  await page.getByRole('heading', { name: 'Inbox' }).click();
  await pressUntil(page, 'a', page.getByText('Enter records “approved”'));
  await comment.fill('checked with the bank');
  await page.keyboard.press('Enter');
  await tenant.work('pay', { paid: true });
  await tenant.until(paid, 'completed');

  await heading(page, 'Publish it?').waitFor();
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Nothing waits for a decision').waitFor();
  await tenant.until(published, 'failed');
  await page.getByRole('button', { name: 'Decided' }).click();
  await page.getByRole('button', { name: /call bank\.pay/ }).click();
  await page.getByText('checked with the bank').waitFor();
  const received = await tenant.untilEvent(paid, 'ApprovalReceived');
  t.like(received.payload, { decision: 'approved', comment: 'checked with the bank' });
});

story('a decision by another person is shown with its comment', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(PUBLISHING);
  await tenant.until(id, 'paused');
  await place.open('inbox');
  await page.getByRole('button', { name: /Publish it\?/ }).click();
  await page.getByLabel('Comment').fill('not yet');
  // The list is held, so that this person decides without knowing of the other one.
  const gate = Promise.withResolvers<void>();
  await page.route(/\/api\/approvals\?/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  const decision = { decision: 'approved', user_id: 'dana', comment: 'go ahead' };
  t.true((await tenant.approve(id, decision)).accepted);
  const decided = page.getByText(/^dana approved it/);
  await Promise.race([page.getByRole('button', { name: 'Reject' }).click(), decided.waitFor()]);
  gate.resolve();
  await decided.waitFor();
  await page.getByText('go ahead').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  t.is((await tenant.until(id, 'completed')).status, 'completed');
  await page.unrouteAll({ behavior: 'wait' });
});

story('a long description is a short title, and is read whole on demand', async (t, place) => {
  const { page, tenant } = place;
  const description = `Publish the report? ${'It has many pages. '.repeat(90)}The end.`;
  const nodes = { sign: { kind: { type: 'human_approval', description } } };
  const id = await tenant.run({ workflow_id: 'reporting', nodes });
  await tenant.until(id, 'paused');
  await place.open('inbox');
  const row = page.getByRole('button', { name: /Publish the report/ });
  t.true(((await row.textContent()) ?? '').length < 300);
  await row.click();
  const title = page.getByRole('heading', { name: /Publish the report/ });
  t.regex((await title.textContent()) ?? '', /^.{100,161}…$/);
  const end = page.getByText(/The end\.$/);
  t.is(await end.isVisible(), false);
  const disclosure = page.getByText('Whole description');
  await disclosure.focus();
  await page.keyboard.press('Enter');
  await end.waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.goto(place.at(`executions/${id}`));
  await title.waitFor();
  t.is(await end.isVisible(), false);
  await disclosure.click();
  await end.waitFor();
});

story('on a phone a viewer reads and a developer decides', async (t, place) => {
  const { page, tenant } = place;
  await page.setViewportSize({ width: 375, height: 740 });
  const id = await tenant.run(PAYING, { amount: 9, memo: 'word'.repeat(60) });
  await tenant.until(id, 'paused');
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at('inbox'));
  await page.getByRole('button', { name: /call bank\.pay/ }).click();
  await page.getByText('Your role reads approvals').waitFor();
  t.is(await page.getByRole('button', { name: 'Approve' }).count(), 0);

  await place.signIn(await place.newToken('developer'));
  await page.reload();
  const approve = page.getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 375);
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByRole('button', { name: 'All approvals' }).click();
  await page.getByRole('button', { name: /call bank\.pay/ }).click();
  await approve.click();
  await tenant.work('pay', { paid: true });
  await tenant.until(id, 'completed');
  await page.getByText('Nothing waits for a decision').waitFor();
});

story('several approvals are decided at once, with one reason', async (t, place) => {
  const { page, tenant } = place;
  const first = await tenant.run(PAYING, { amount: 11, to: 'Ada' });
  await tenant.until(first, 'paused');
  const second = await tenant.start('paying', { amount: 22, to: 'Grace' });
  await tenant.until(second, 'paused');
  const kept = await tenant.run(PUBLISHING);
  await tenant.until(kept, 'paused');
  await place.open('inbox');
  const decide = page.getByRole('button', { name: /^Decide \d selected…$/ });
  await decide.waitFor();
  t.true(await decide.isDisabled());
  await page.getByRole('checkbox', { name: `Select call bank.pay of ${first}` }).check();
  // A key selects the approval that is read.
  await page
    .getByRole('listitem')
    .getByRole('button', { name: /call bank\.pay/ })
    .nth(1)
    .click();
  const box = page.getByRole('checkbox', { name: `Select call bank.pay of ${second}` });
  await page.keyboard.press('x');
  t.true(await box.isChecked());
  await page.getByRole('button', { name: 'Decide 2 selected…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Decide 2 approvals' });
  const asked = dialog.getByRole('region', { name: 'What is asked' });
  await asked.getByText('Grace').waitFor();
  t.is(await asked.getByRole('row').count(), 3);
  t.is(await asked.getByText(kept).count(), 0);
  t.deepEqual(await checkAccessibility(page), []);

  // One is decided by somebody else meanwhile: the preview stays, and the result says so.
  t.true((await tenant.approve(second, { decision: 'approved', user_id: 'dana' })).accepted);
  await dialog.getByLabel('Reason').fill('both invoices are checked');
  await dialog.getByRole('button', { name: 'Approve 2' }).click();
  await dialog.getByRole('status').getByText('1 approved, 1 refused.').waitFor();
  await dialog.getByRole('region', { name: 'Refused' }).getByText(second).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  t.like((await tenant.untilEvent(first, 'ApprovalReceived')).payload, {
    decision: 'approved',
    comment: 'both invoices are checked',
  });
  t.is((await tenant.read(kept)).status, 'paused');
  await page.getByRole('button', { name: 'Decide 0 selected…' }).waitFor();

  await place.signIn(await place.newToken('viewer'));
  await page.reload();
  await page.getByRole('button', { name: /Publish it\?/ }).waitFor();
  t.is(await page.getByRole('checkbox').count(), 0);
});
