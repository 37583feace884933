import { randomBytes } from 'node:crypto';
import test from 'ava';

import { startEmbeddingProvider } from '../support/servers/embedding-provider.ts';
import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const provider = await startEmbeddingProvider();
const story = inBrowser({
  env: {
    SVC_MEMORY_EMBEDDING_BASE_URL: provider.url,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  },
});

test.after.always('stop the provider', () => provider.close());

story('a key is saved, and facts are added, recalled and forgotten', async (t, place) => {
  const { page, tenant } = place;
  await place.open('memory');
  await page.getByRole('heading', { name: 'There is no fact yet' }).waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.waitForURL((url) => url.searchParams.get('tab') === 'settings');
  const key = page.getByLabel('API key of OpenAI');
  await key.fill('sk-invalid-story');
  await page.getByRole('button', { name: 'Test key' }).click();
  await page.getByText('the provider does not accept this key').waitFor();
  await key.fill('sk-story');
  await page.getByRole('button', { name: 'Test key' }).click();
  await page.getByText('The provider accepts this key.').waitFor();
  await page.getByRole('button', { name: 'Save key' }).click();
  await page.getByRole('heading', { name: 'Replace the key' }).waitFor();
  t.is(await key.inputValue(), '');
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByRole('button', { name: 'Switch off' }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  // A fact is text, never a part of the page.
  const facts = page.getByRole('region', { name: 'Facts' });
  await page.getByRole('tab', { name: 'Facts' }).click();
  for (const content of ['<b>Ada</b> likes tea', 'Ada lives in Bern']) {
    await page.getByRole('button', { name: 'Add fact…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a fact' });
    await dialog.getByLabel('Fact', { exact: true }).fill(content);
    await dialog.getByLabel('End user').fill('ada');
    await dialog.getByRole('button', { name: 'Add fact' }).click();
    await facts.getByText(content, { exact: true }).waitFor();
  }
  t.deepEqual(await checkAccessibility(page), []);

  await page.getByRole('tab', { name: 'Recall' }).click();
  await page.getByLabel('Text to recall by').fill('Ada lives in Bern');
  const recall = page.getByRole('button', { name: 'Recall', exact: true });
  await recall.click();
  await page.getByRole('heading', { name: 'Nothing is recalled' }).waitFor();
  await page.getByLabel('End user').fill('ada');
  await recall.click();
  const recalled = page.getByRole('region', { name: 'Recalled facts' });
  await recalled.getByText('<b>Ada</b> likes tea', { exact: true }).waitFor();
  const nearest = recalled.getByRole('row').filter({ hasText: 'Ada lives in Bern' });
  await nearest.getByText('1.000', { exact: true }).waitFor();

  await page.getByRole('tab', { name: 'Facts' }).click();
  await facts.getByRole('button', { name: 'Forget: <b>Ada</b> likes tea' }).click();
  const one = page.getByRole('dialog', { name: 'Forget fact' });
  await one.getByLabel('Reason').fill('asked to');
  await one.getByRole('button', { name: 'Forget fact' }).click();
  // The page behind an open dialog is hidden, so its rows would pass for gone.
  await one.waitFor({ state: 'detached' });
  await facts.getByText('<b>Ada</b> likes tea', { exact: true }).waitFor({ state: 'detached' });
  await facts.getByRole('button', { name: 'Forget all of ada…' }).click();
  const all = page.getByRole('dialog', { name: 'Forget all facts of ada' });
  await all.getByText('This forgets 1 fact.').waitFor();
  await all.getByRole('listitem').getByText('Ada lives in Bern').waitFor();
  await all.getByLabel('Reason').fill('asked to');
  await all.getByLabel('Type ada to confirm').fill('ada');
  await all.getByRole('button', { name: 'Forget all' }).click();
  await page.getByRole('heading', { name: 'There is no fact yet' }).waitFor();
  const left = await tenant.get<{ readonly facts: readonly object[] }>('/v1/memory/facts');
  t.deepEqual(expectStatus(left, 200).facts, []);
});

story('a viewer reads facts and settings, and is offered no change', async (t, place) => {
  const { page, tenant } = place;
  const settings = { provider: 'openai', api_key: 'sk-story', enabled: true };
  expectStatus(await tenant.post('/v1/memory/settings', settings), 200);
  expectStatus(await tenant.post('/v1/memory/add', { content: 'Tea is hot' }), 200);
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at('memory'));
  const main = page.getByRole('main');
  await main.getByText('Tea is hot').waitFor();
  t.is(await main.getByRole('button').count(), 0);
  t.is(await main.getByRole('tab', { name: 'Recall' }).count(), 0);
  await main.getByRole('tab', { name: 'Settings' }).click();
  await main.getByText('kept, encrypted').waitFor();
  t.is(await main.getByRole('button').count(), 0);
});
