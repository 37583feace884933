import { inBrowser } from './support/in-browser.ts';

const story = inBrowser({ env: { SVC_API_CONSOLE: 'false' } });

story('nothing of the console is served where api.console is false', async (t, place) => {
  const { page, runtime, at } = place;
  for (const path of ['', 'executions', 'api/session']) {
    const answer = await page.goto(at(path));
    t.is(answer?.status(), 404, path);
  }
  const root = await page.goto(runtime.url);
  t.is(root?.status(), 200);
  t.regex(root?.headers()['content-type'] ?? '', /^application\/json/);
});
