import test, { type ExecutionContext } from 'ava';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

import type { Role } from '../../../src/shared/domain/access.ts';
import { createTestDatabase, type Dialect, type TestDatabase } from '../../support/database.ts';
import { startRuntime, type Runtime } from '../../support/runtime.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';
import { buildOnce } from './build-once.ts';
import { findBrowser } from './find-browser.ts';
import { watchPages, type PageWatch } from './watch-page.ts';

const DIALECTS = ['sqlite', 'postgres'] as const;
const START_MS_MAX = 180_000;
const STORY_MS_MAX = 300_000;
/** For every wait of the browser: the machine may be slow and busy. */
export const WAIT_MS = 60_000;

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

const NO_BROWSER =
  'no browser: install one with "apt-get install chromium-headless-shell fonts-liberation"';

/** The tools of a story. */
export interface Place {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly dialect: Dialect;
  /** The process as it is now. */
  readonly runtime: Runtime;
  /** A tenant of this story alone; its methods call the API as an operator. */
  readonly tenant: TestTenant;
  /** An operator's token of that tenant. */
  readonly token: string;
  /** Address of a page of the console: `at('executions')`. */
  readonly at: (path?: string) => string;
  /** A new token of the story's tenant. */
  readonly newToken: (role: Role) => Promise<string>;
  /** Gives the browser a session, by default an operator's of the story's tenant. */
  readonly signIn: (token?: string) => Promise<void>;
  /** Signs in and opens a page. */
  readonly open: (path?: string) => Promise<void>;
  /** Lets the story's pages use another address of the service, such as a proxy's. */
  readonly allow: (address: string) => void;
  /** Kills the process and starts another at the same address. */
  readonly restartApi: () => Promise<void>;
  /** Kills the process and leaves it down until `restartApi`. */
  readonly stopApi: () => Promise<void>;
}

export type Story = (t: ExecutionContext, place: Place) => Promise<void>;

export interface BrowserOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Size of the window in CSS pixels. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Pixels of the screen for one CSS pixel: the zoom of the browser. Default 1. */
  readonly zoom?: number;
}

interface Home {
  readonly database: TestDatabase;
  runtime: Runtime;
}

/**
 * Runs stories in a real browser against the real service, once on each store and one after
 * another. Each has its own tenant and its own browser profile, and fails on anything that
 * `watchPages` finds.
 */
export function inBrowser(options: BrowserOptions = {}): (title: string, story: Story) => void {
  const homes = new Map<Dialect, Home>();
  let browser: Browser | null = null;

  test.before('build and launch', async (t) => {
    t.timeout(START_MS_MAX);
    const executablePath = findBrowser();
    if (executablePath === null) throw new Error(NO_BROWSER);
    await buildOnce();
    browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: WAIT_MS });
    for (const dialect of DIALECTS) {
      const database = await createTestDatabase(dialect);
      try {
        homes.set(dialect, { database, runtime: await startHome(database, options) });
      } catch (error) {
        await database.drop();
        throw error;
      }
    }
  });
  test.after.always('stop', async (t) => {
    t.timeout(START_MS_MAX);
    await browser?.close();
    for (const { runtime, database } of homes.values()) {
      const code = await runtime.end('SIGTERM');
      await database.drop();
      t.deepEqual(runtime.errors(), []);
      t.is(code, 0);
    }
  });
  return (title, story) => {
    for (const dialect of DIALECTS) {
      test.serial(`${title} (${dialect})`, async (t) => {
        t.timeout(STORY_MS_MAX);
        const home = homes.get(dialect);
        if (home === undefined || browser === null) throw new Error('the browser did not start');
        await tell({ t, story, home, dialect, browser, options });
      });
    }
  };
}

function startHome(database: TestDatabase, options: BrowserOptions): Promise<Runtime> {
  return startRuntime({ databaseUrl: database.url, ...(options.env && { env: options.env }) });
}

async function tell(params: {
  readonly t: ExecutionContext;
  readonly story: Story;
  readonly home: Home;
  readonly dialect: Dialect;
  readonly browser: Browser;
  readonly options: BrowserOptions;
}): Promise<void> {
  const { t, story, home, dialect, browser, options } = params;
  const { viewport = { width: 1280, height: 800 }, zoom = 1 } = options;
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor: zoom,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS);
  const watch = watchPages(context, home.runtime.url);
  try {
    const page = await context.newPage();
    await story(t, await createPlace({ home, dialect, context, page, options, watch }));
    t.deepEqual(await watch.faults(), []);
  } catch (error) {
    for (const fault of await watch.faults()) t.log(fault);
    throw error;
  } finally {
    await context.close();
  }
}

async function createPlace(params: {
  readonly home: Home;
  readonly dialect: Dialect;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly options: BrowserOptions;
  readonly watch: PageWatch;
}): Promise<Place> {
  const { home, dialect, context, page, options, watch } = params;
  const tenant = await home.runtime.newTenant();
  const newToken = async (role: Role) => {
    const body = { name: `story ${role}`, role };
    const reply = await tenant.post<{ readonly token: string }>('/tokens', body);
    return expectStatus(reply, 201).token;
  };
  const token = await newToken('operator');
  const at = (path = '') => `${home.runtime.url}/console/${path}`;
  const signIn = async (chosen = token) => {
    const answer = await context.request.post(at('api/session'), {
      headers: { 'X-Svc-Console': '1' },
      data: { token: chosen },
      timeout: WAIT_MS,
    });
    if (!answer.ok()) throw new Error(`the sign-in answered ${answer.status()}`);
  };
  return {
    page,
    context,
    dialect,
    tenant,
    token,
    get runtime() {
      return home.runtime;
    },
    at,
    newToken,
    signIn,
    async open(path) {
      await signIn();
      await page.goto(at(path));
    },
    allow: (address) => watch.allow(address),
    stopApi: async () => void (await home.runtime.end('SIGKILL')),
    async restartApi() {
      const { url, apiKey } = home.runtime;
      await home.runtime.end('SIGKILL');
      const again = { port: Number(new URL(url).port), apiKey };
      const { env } = options;
      const databaseUrl = home.database.url;
      home.runtime = await startRuntime({ databaseUrl, ...again, ...(env && { env }) });
    },
  };
}
