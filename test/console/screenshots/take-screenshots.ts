import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { chromium, type Browser } from 'playwright-core';

import { startRuntime, type Runtime } from '../../support/runtime.ts';
import { buildOnce } from '../support/build-once.ts';
import { findBrowser } from '../support/find-browser.ts';
import { makeSampleData, type SampleData } from './sample-data.ts';

/*
 * npm run console:screenshots [-- --folder <folder>] [--only <page>]
 *
 * Starts a runtime with sample data on an SQLite file of its own, and writes a picture of each page
 * of the console: light, dark, and light at 375 pixels.
 */

const WAIT_MS = 60_000;
const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { name: 'narrow', colorScheme: 'light', width: 375, height: 812 },
] as const;

const { values } = parseArgs({
  options: { folder: { type: 'string' }, only: { type: 'string' } },
});
const folder = resolve(values.folder ?? 'node_modules/.cache/console-screenshots');
const executablePath = findBrowser();
if (executablePath === null) {
  throw new Error('no browser: install Debian’s chromium-headless-shell and fonts-liberation');
}
await buildOnce();
await mkdir(folder, { recursive: true });
const home = await mkdtemp(join(tmpdir(), 'svc-screenshots-'));
const runtime = await startRuntime({ databaseUrl: join(home, 'svc.db') });
try {
  const tenant = await runtime.newTenant();
  const data = await makeSampleData(tenant);
  const reply = await tenant.post<{ readonly token: string }>('/tokens', {
    name: 'operator',
    role: 'operator',
  });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  await takeAll({ browser, runtime, token: reply.body.token, data });
  await browser.close();
} finally {
  await runtime.end('SIGTERM');
  await rm(home, { recursive: true });
}

async function takeAll(params: {
  readonly browser: Browser;
  readonly runtime: Runtime;
  readonly token: string;
  readonly data: SampleData;
}): Promise<void> {
  const { browser, runtime, token, data } = params;
  const pages = Object.entries(listPages(data)).filter(
    ([name]) => values.only === undefined || name === values.only,
  );
  if (pages.length === 0) {
    const names = Object.keys(listPages(data)).join(', ');
    throw new Error(`no page is called ${values.only}: choose one of ${names}`);
  }
  for (const { name: look, colorScheme, width, height } of LOOKS) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(WAIT_MS);
    await context.request.post(`${runtime.url}/console/api/session`, {
      headers: { 'X-Svc-Console': '1' },
      data: { token },
    });
    for (const [name, path] of pages) {
      const page = await context.newPage();
      await page.goto(`${runtime.url}/console/${path}`);
      // No more requests for half a second: what the page shows first has been read.
      await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
      const file = join(folder, `${name}-${look}.png`);
      await page.screenshot({ path: file });
      process.stdout.write(`${file}\n`);
      await page.close();
    }
    await context.close();
  }
}

function listPages({ completed, waiting, failed }: SampleData): Readonly<Record<string, string>> {
  return {
    home: '',
    executions: 'executions',
    'execution-completed': `executions/${completed}`,
    'execution-waiting': `executions/${waiting}`,
    'execution-failed': `executions/${failed}`,
    inbox: 'inbox',
    failures: 'failures',
    workers: 'workers',
    workflows: 'workflows',
    workflow: 'workflows/order',
    editor: 'editor',
    schedules: 'schedules',
    webhooks: 'webhooks',
    agents: 'agents',
    memory: 'memory',
    audit: 'audit',
    tokens: 'tokens',
    tenants: 'tenants',
    settings: 'settings',
    system: 'system',
  };
}
