import { eventually } from '../support/eventually.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser, WAIT_MS } from './support/in-browser.ts';
import { startStrippingProxy } from './support/stripping-proxy.ts';

const story = inBrowser();

story('a person signs in with a token, comes back without one, and signs out', async (t, place) => {
  const { page, token, at } = place;
  await page.goto(at('executions?status=failed'));
  await page.getByLabel('Token').fill('svc_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('invalid or expired token').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const places = page.getByRole('navigation', { name: 'Places' });
  await places.getByRole('link', { name: 'Executions' }).waitFor();
  // The address that the person came with is the page that they get.
  t.regex(page.url(), /\/console\/executions\?.*failed/);
  t.is(await page.evaluate('document.cookie'), '');
  await page.reload();
  await places.waitFor();
  await page.getByRole('button', { name: 'story operator' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  await page.reload();
  await page.getByLabel('Token').waitFor();
});

story('a reader sees the places of a reader alone', async (t, place) => {
  const { page, at, newToken, signIn } = place;
  await signIn(await newToken('viewer'));
  await page.goto(at());
  const places = page.getByRole('navigation', { name: 'Places' });
  await places.getByRole('link', { name: 'Executions' }).waitFor();
  t.is(await places.getByRole('link', { name: 'Tokens' }).count(), 0);
  await signIn();
  await page.reload();
  await places.getByRole('link', { name: 'Tokens' }).waitFor();
});

story('the keyboard alone reaches every place, in both themes', async (t, place) => {
  const { page, open, at } = place;
  await open();
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  await page.keyboard.press('Control+K');
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').fill('audit');
  await palette.getByRole('option', { name: /Audit/ }).first().waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.keyboard.press('Enter');
  await page.waitForURL(at('audit'));
  await palette.waitFor({ state: 'detached' });
  t.deepEqual(await checkAccessibility(page), []);
});

story('a proxy may strip any prefix and change the name of the host', async (t, place) => {
  const { page, token, runtime, allow } = place;
  const proxy = await startStrippingProxy({ prefix: '/tools/svc', target: runtime.url });
  try {
    allow(proxy.url);
    await page.goto(`${proxy.url}/tools/svc/console`);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Workflows' }).click();
    await page.waitForURL(`${proxy.url}/tools/svc/console/workflows`);
    await page.goto(`${proxy.url}/tools/svc/console/executions/exec_none?tab=history`);
    await page.getByRole('navigation', { name: 'Places' }).waitFor();
    const cookies = await place.context.cookies();
    t.deepEqual(
      cookies.map(({ name, path, httpOnly, sameSite }) => ({ name, path, httpOnly, sameSite })),
      [
        {
          name: 'svc-session',
          path: '/tools/svc/console/api',
          httpOnly: true,
          sameSite: 'Strict',
        },
      ],
    );
    // Without its slash too, and from the root as a person types it.
    await page.goto(`${proxy.url}/tools/svc/`);
    await page.waitForURL(`${proxy.url}/tools/svc/console/`);
  } finally {
    await proxy.close();
  }
});

story('the console says that the service is away, and returns with it', async (t, place) => {
  const { page, open, stopApi, restartApi } = place;
  await open();
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  const banner = page.getByText('The service does not answer.');
  await stopApi();
  // As if the person came back to the tab: readings that have aged are read again.
  await eventually(
    async () => {
      await page.evaluate("globalThis.dispatchEvent(new Event('visibilitychange'))");
      if ((await banner.count()) === 0) throw new Error('the console does not say so');
    },
    { withinMs: WAIT_MS },
  );
  t.is(await page.getByRole('navigation', { name: 'Places' }).count(), 1);
  await restartApi();
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.waitForURL(/workflows$/);
});

story('a page that is opened while the service is away comes when it returns', async (t, place) => {
  const { page, open, stopApi, restartApi } = place;
  await open();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.evaluate("document.getElementById('main').dataset.kept = 'yes'");
  await stopApi();
  await page.getByRole('link', { name: 'Tokens' }).click();
  await page.getByText('The service does not answer.').waitFor();
  t.is(await page.getByRole('navigation', { name: 'Places' }).count(), 1);
  await restartApi();
  await page.getByRole('heading', { name: 'Tokens' }).waitFor();
  // The document was not loaded again, so nothing that somebody typed is lost.
  t.is(await page.evaluate("document.getElementById('main').dataset.kept"), 'yes');
  // Each part has its styles too.
  await eventually(async () => {
    const isStyled = '[...document.styleSheets].every((sheet) => sheet.cssRules.length > 0)';
    if (!(await page.evaluate(isStyled))) throw new Error('a part has no styles yet');
  });
});

story('a session that ends asks for a token above the page, which stays', async (t, place) => {
  const { page, at, newToken, signIn, tenant } = place;
  await signIn(await newToken('developer'));
  await page.goto(at('executions'));
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  await page.evaluate("document.getElementById('main').dataset.kept = 'yes'");
  const { body } = await tenant.get<{
    readonly tokens: readonly { readonly token_id: string; readonly role: string }[];
  }>('/tokens');
  const developer = body.tokens.find(({ role }) => role === 'developer');
  await tenant.send({ method: 'DELETE', path: `/tokens/${developer?.token_id}` });
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await eventually(
    async () => {
      await page.evaluate("globalThis.dispatchEvent(new Event('visibilitychange'))");
      if ((await dialog.count()) === 0) throw new Error('the console asks for no token');
    },
    { withinMs: WAIT_MS },
  );
  t.deepEqual(await checkAccessibility(page), []);
  await dialog.getByLabel('Token').fill(await newToken('viewer'));
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'story viewer' }).waitFor();
  t.is(await page.evaluate("document.getElementById('main').dataset.kept"), 'yes');
});
