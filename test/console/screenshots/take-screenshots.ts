import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { chromium, type Browser, type Page } from 'playwright-core';

import { startRuntime, type Runtime } from '../../support/runtime.ts';
import { TestTenant } from '../../support/tenant.ts';
import { buildOnce } from '../support/build-once.ts';
import { findBrowser } from '../support/find-browser.ts';
import { waitUntilRead } from '../support/wait-until-read.ts';
import { makeSampleData, spreadStarts, type SampleData } from './sample-data.ts';

/*
 * npm run console:screenshots [-- --folder <folder>] [--only <page>] [--docs]
 *
 * Starts a runtime with sample data on an SQLite file of its own, and writes a picture of each page
 * of the console: light, dark, and light at 375 pixels. With `--docs`, it writes the pictures of
 * README.md and of the pages of docs/ instead, which are WebP and in docs/images.
 */

const WAIT_MS = 60_000;
const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { name: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { name: 'narrow', colorScheme: 'light', width: 375, height: 812 },
] as const;
const DOCS = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** Both themes of each are in docs/images. */
const PAGES_OF_DOCS = ['executions', 'execution-failed', 'inbox', 'editor'];
const WEBP_QUALITY = 82;

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    only: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
});
const folder = values.docs
  ? DOCS
  : resolve(values.folder ?? 'node_modules/.cache/console-screenshots');
const executablePath = findBrowser();
if (executablePath === null) {
  throw new Error('no browser: install Debian’s chromium-headless-shell and fonts-liberation');
}
await buildOnce();
await mkdir(folder, { recursive: true });
const home = await mkdtemp(join(tmpdir(), 'svc-screenshots-'));
const file = join(home, 'svc.db');
const runtime = await startRuntime({ databaseUrl: file });
try {
  const tenant = new TestTenant({ request: (sent) => runtime.request(sent), tenantId: 'default' });
  const data = await makeSampleData(tenant);
  spreadStarts(file);
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
  const pages = choosePages(data);
  for (const { name: look, colorScheme, width, height } of LOOKS) {
    if (values.docs && look === 'narrow') continue;
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
      await waitUntilRead(page);
      if (name === 'inbox' && values.docs) await page.keyboard.press('j');
      const picture = join(folder, `${name}-${look}.${values.docs ? 'webp' : 'png'}`);
      await takePicture(page, picture);
      process.stdout.write(`${picture}\n`);
      await page.close();
    }
    await context.close();
  }
}

async function takePicture(page: Page, path: string): Promise<void> {
  if (!values.docs) {
    await page.screenshot({ path });
    return;
  }
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: WEBP_QUALITY,
  });
  await writeFile(path, Buffer.from(data, 'base64'));
}

function choosePages(data: SampleData): readonly (readonly [string, string])[] {
  const all = Object.entries(listPages(data));
  if (values.docs) return all.filter(([name]) => PAGES_OF_DOCS.includes(name));
  const chosen = all.filter(([name]) => values.only === undefined || name === values.only);
  if (chosen.length > 0) return chosen;
  const names = all.map(([name]) => name).join(', ');
  throw new Error(`no page is called ${values.only}: choose one of ${names}`);
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
