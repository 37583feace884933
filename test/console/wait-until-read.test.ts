import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { chromium } from 'playwright-core';

import { pagePolicy } from '../../src/api/console/page-policy.ts';
import { findBrowser } from './support/find-browser.ts';
import { waitUntilRead } from './support/wait-until-read.ts';

/** Two parts are being read when it comes; the second comes a second after the first. */
const PAGE = `<!doctype html><title>Slow</title><h1>Slow</h1>
<p role="status">Looking…</p><p role="status">Reading…</p><script src="/script.js"></script>`;
const SCRIPT = `const [first, second] = document.querySelectorAll('[role=status]');
setTimeout(() => { first.textContent = 'none'; }, 500);
setTimeout(() => { second.textContent = '3 rows'; }, 1500);`;

test('a picture waits for all parts of a page, under the policy of the console', async (t) => {
  t.timeout(120_000);
  const server = createServer(({ url }, response) => {
    const isScript = url === '/script.js';
    response.writeHead(200, {
      'content-type': `text/${isScript ? 'javascript' : 'html'}; charset=utf-8`,
      'content-security-policy': pagePolicy(''),
    });
    response.end(isScript ? SCRIPT : PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const browser = await chromium.launch({
    executablePath: findBrowser() ?? '',
    args: ['--no-sandbox'],
  });
  t.teardown(async () => {
    await browser.close();
    server.close();
  });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}`);
  await waitUntilRead(page);
  t.deepEqual(await page.locator('[role=status]').allTextContents(), ['none', '3 rows']);
});
