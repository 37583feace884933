import { randomBytes } from 'node:crypto';

import { eventually } from '../support/eventually.ts';
import { isSigned, startReceiver } from '../support/servers/webhook-receiver.ts';
import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

/** The second attempt comes after 5 seconds, the third after 30, the fourth after two minutes. */
const RETRIES_MS_MAX = 200_000;
const story = inBrowser({
  env: {
    SVC_WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
    SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  },
});

story(
  'a webhook is created with its secret, and a message that failed is sent again',
  async (t, place) => {
    const { page, tenant } = place;
    let works = false;
    const receiver = await startReceiver(() => (works ? 204 : 500));
    t.teardown(() => receiver.close());
    await place.open('webhooks');
    await page.getByRole('heading', { name: 'There is no webhook yet' }).waitFor();
    await page.getByRole('button', { name: 'Create webhook…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a webhook' });
    await dialog.getByLabel('Address').fill('http://user:secret@127.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog.getByRole('alert').getByText('without credentials').waitFor();
    await dialog.getByLabel('Address').fill(receiver.url);
    for (const type of ['execution.running', 'execution.paused', 'execution.cancelled']) {
      await dialog.getByLabel(type).uncheck();
    }
    t.deepEqual(await checkAccessibility(page), []);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();

    const shown = page.getByRole('dialog', { name: 'Secret of the webhook' });
    const secret = (await shown.getByText(/^whsec_/).textContent()) ?? '';
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await shown.waitFor({ state: 'detached' });
    t.is(await page.getByText('whsec_').count(), 0);

    // The receiver fails, and the log says so.
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('heading', { name: 'There is no message yet' }).waitFor();
    const id = await tenant.run({ nodes: { a: { kind: 'pass' } } });
    await tenant.until(id, 'completed');
    const messages = page.getByRole('region', { name: 'Messages', exact: true });
    const row = messages.getByRole('row', { name: /execution\.completed/ });
    await row.getByText('answered 500').waitFor();
    t.is(await row.getByRole('button').count(), 0);
    works = true;
    await row.getByText('delivered', { exact: true }).waitFor({ timeout: RETRIES_MS_MAX });

    // Sent again by hand, under the same id.
    const before = receiver.received.length;
    await row.getByRole('button', { name: 'Send again: execution.completed' }).click();
    await eventually(() => {
      if (receiver.received.length === before) throw new Error('nothing has come');
    });
    t.is(receiver.received.length, before + 1);
    t.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
    t.true(receiver.received.every((one) => isSigned(one, secret)));
    await row.getByRole('cell', { name: String(before + 1), exact: true }).waitFor();
    await row.getByText('delivered', { exact: true }).waitFor();
    t.deepEqual(await checkAccessibility(page), []);

    await page.getByRole('button', { name: `Delete the webhook to ${receiver.url}` }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete webhook' });
    await confirm.getByLabel(`Type ${receiver.url} to confirm`).fill(receiver.url);
    await confirm.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('heading', { name: 'There is no webhook yet' }).waitFor();
    const left = await tenant.get<{ readonly webhooks: readonly object[] }>('/webhooks');
    t.deepEqual(expectStatus(left, 200).webhooks, []);
  },
);

story('a viewer learns no address, and is offered no webhook', async (t, place) => {
  const { page, tenant } = place;
  const body = { url: 'https://hooks.example/private' };
  expectStatus(await tenant.post('/webhooks', body), 201);
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at('executions'));
  const menu = page.getByRole('navigation');
  await menu.getByRole('link', { name: 'Workflows' }).waitFor();
  t.is(await menu.getByRole('link', { name: 'Webhooks' }).count(), 0);
  await page.goto(place.at('webhooks'));
  const refused = page.getByRole('alert');
  await refused.getByRole('heading', { name: 'Your role may not read this' }).waitFor();
  await refused.getByText('Request').waitFor();
  t.is(await page.getByRole('button', { name: 'Create webhook…' }).count(), 0);
  t.is(await page.getByText('hooks.example').count(), 0);
  t.deepEqual(await checkAccessibility(page), []);

  await place.signIn(await place.newToken('developer'));
  await page.reload();
  await page.getByRole('link', { name: body.url }).waitFor();
});
