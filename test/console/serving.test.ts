import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

story('a person signs in with a token, comes back without one, and signs out', async (t, place) => {
  const { page, token, at } = place;
  await page.goto(at('executions'));
  await page.getByLabel('Token').fill('svc_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('invalid or expired token').waitFor();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').first().waitFor();
  t.is(new URL(page.url()).pathname, '/console/executions');
  t.is(await page.evaluate('document.cookie'), '');
  await page.reload();
  await page.getByRole('navigation').first().waitFor();
});
