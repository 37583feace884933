import { serveJson, startHttpServer } from '../support/servers/http-server.ts';
import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser({ env: { SVC_AGENTS_ALLOW_PRIVATE_NETWORKS: 'true' } });
const CARD_PATH = '/.well-known/agent.json';

story('an agent is discovered after a look at its card, and activated', async (t, place) => {
  const { page, tenant } = place;
  const documents: Record<string, unknown> = { [CARD_PATH]: { description: 'without a name' } };
  const server = await startHttpServer((...exchange) => serveJson(documents)(...exchange));
  t.teardown(() => server.close());
  await place.open('agents');
  await page.getByRole('heading', { name: 'There is no agent yet' }).waitFor();
  await page.getByRole('button', { name: 'Discover agent…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Discover an agent' });
  const discover = dialog.getByRole('button', { name: 'Discover', exact: true });
  await dialog.getByLabel('Address').fill(server.url);
  t.true(await discover.isDisabled());
  await dialog.getByRole('button', { name: 'Show the card' }).click();
  await dialog.getByRole('alert').getByText('name is required').waitFor();

  // A card is text, never a part of the page.
  documents[CARD_PATH] = {
    id: 'router',
    name: 'Router',
    description: '<img src=x onerror=alert(1)>',
    capabilities: { skills: [{ name: 'route', description: 'Finds a way' }], protocols: ['a2a'] },
  };
  await dialog.getByRole('button', { name: 'Show the card' }).click();
  const preview = dialog.getByRole('region', { name: 'Preview' });
  await preview.getByText('The discovery registers this agent.').waitFor();
  await preview.getByText('<img src=x onerror=alert(1)>', { exact: true }).waitFor();
  t.is((await tenant.get('/agents/router')).status, 404);
  t.deepEqual(await checkAccessibility(page), []);
  await discover.click();
  await page.getByRole('heading', { name: 'Agent Router' }).waitFor();
  await page.getByRole('region', { name: 'Skills of Router' }).getByText('Finds a way').waitFor();

  const row = page.getByRole('region', { name: 'Agents' }).getByRole('row', { name: /Router/ });
  await row.getByText('registered', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Activate Router', exact: true }).click();
  await row.getByText('active', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Deactivate Router' }).click();
  const confirm = page.getByRole('dialog', { name: 'Deactivate agent Router' });
  await confirm.getByLabel('Type Router to confirm').fill('Router');
  await confirm.getByRole('button', { name: 'Deactivate agent' }).click();
  await row.getByText('deactivated', { exact: true }).waitFor();
  await page.getByLabel('Status').selectOption('active');
  await page.getByRole('heading', { name: 'No agent matches' }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
});

story('an agent of the same id elsewhere is not replaced', async (t, place) => {
  const { page, tenant } = place;
  expectStatus(await tenant.post('/agents', { id: 'payroll', name: 'Ours' }), 201);
  const server = await startHttpServer(
    serveJson({ [CARD_PATH]: { id: 'payroll', name: 'Theirs' } }),
  );
  t.teardown(() => server.close());
  await place.open('agents');
  await page.getByRole('button', { name: 'Discover agent…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Discover an agent' });
  await dialog.getByLabel('Address').fill(server.url);
  await dialog.getByRole('button', { name: 'Show the card' }).click();
  await dialog.getByText('The discovery does not replace it.').waitFor();
  t.true(await dialog.getByRole('button', { name: 'Discover', exact: true }).isDisabled());
  const read = await tenant.get<{ readonly name: string }>('/agents/payroll');
  t.is(expectStatus(read, 200).name, 'Ours');

  // A viewer reads the card and is offered no change.
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at('agents'));
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'Ours' }).waitFor();
  t.is(await main.getByRole('button').count(), 0);
});
