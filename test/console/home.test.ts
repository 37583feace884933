import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();
const once = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: { max_attempts: 1 },
};

story('an empty installation becomes a run on screen with one click', async (t, place) => {
  const { page, tenant, open } = place;
  await open();
  await page.getByRole('heading', { name: 'Nothing has run yet' }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByRole('button', { name: 'Register the sample and start it' }).click();
  await page.waitForURL(/\/console\/executions\/exec_[0-9a-f]{32}/);
  await page.getByRole('heading', { name: 'welcome' }).first().waitFor();
  const id = /exec_[0-9a-f]{32}/.exec(page.url())?.[0] ?? '';
  const execution = await tenant.until(id, 'paused');
  t.is(execution.workflow_id, 'welcome');
  await page.goto(place.at());
  await page.getByRole('link', { name: '1 Waiting for a person' }).waitFor();
  t.is(await page.getByRole('heading', { name: 'Nothing has run yet' }).count(), 0);
});

story('each figure leads to the list behind it', async (t, place) => {
  const { page, tenant, open } = place;
  await tenant.register({ workflow_id: 'orders', nodes: { pay: once } });
  const failed = await tenant.start('orders');
  await tenant.breakDown('pay');
  await tenant.until(failed, 'failed');
  const running = await tenant.start('orders');
  await open();
  const figures = page.getByRole('list', { name: 'Figures' });
  await figures.getByRole('link', { name: '1 Dead letters' }).waitFor();
  await figures.getByRole('link', { name: '1 Running' }).click();
  await page.locator(`a[href$="${running}"]`).waitFor();
  t.is(new URL(page.url()).searchParams.get('status'), 'running');
  await page.goBack();
  await figures.getByRole('link', { name: '1 Failed in the last 24 hours' }).click();
  await page.locator(`a[href$="${failed}"]`).waitFor();
  await page.locator(`a[href$="${running}"]`).waitFor({ state: 'detached' });
});

story('a viewer of an empty installation is offered no start', async (t, place) => {
  const { page, at, newToken, signIn } = place;
  await signIn(await newToken('viewer'));
  await page.goto(at());
  await page.getByText('A developer or an operator may start one.').waitFor();
  t.is(await page.getByRole('button', { name: /Register the sample/ }).count(), 0);
});
