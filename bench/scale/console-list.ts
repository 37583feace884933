import { chromium, type Browser } from 'playwright-core';
import pg from 'pg';

import { buildOnce } from '../../test/console/support/build-once.ts';
import { findBrowser } from '../../test/console/support/find-browser.ts';
import { type BenchDatabase, openDatabases } from '../support/databases.ts';
import { API_KEY, startRuntime } from '../support/runtime-process.ts';
import { quantile } from '../support/statistics.ts';
import { type Experiment, rounded, type Row } from './experiment.ts';
import { fillExecutions } from './large/fill-executions.ts';
import { fillSqliteExecutions } from './large/fill-sqlite.ts';
import { callsTo, makeTemplates } from './large/templates.ts';

const EXECUTIONS = { usual: 1_000_000, large: 10_000_000 };
const VISITS = 7;
const FIRST_ROW_MS_MAX = 1_000;
const WAIT_MS = 60_000;
/** Lists read no events. */
const EVENTS_OF_ONE_IN = 1_000;

/** The console's list of executions in a real browser, which has nothing of it in its cache. */
export const consoleList: Experiment = {
  name: 'console-list',
  what: `the console's list of a tenant's executions; gate: the first row under ${FIRST_ROW_MS_MAX} ms in the median`,
  async run({ large, executions, progress }) {
    const size = executions ?? (large ? EXECUTIONS.large : EXECUTIONS.usual);
    const executablePath = findBrowser();
    if (executablePath === null) throw new Error('no browser: install chromium-headless-shell');
    await buildOnce();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const databases = await openDatabases();
    try {
      const rows: Row[] = [];
      for (const dialect of ['postgres', 'sqlite'] as const) {
        progress(`${dialect}: filling`);
        const database = await databases.create(dialect);
        await fill(database, size);
        progress(`${dialect}: visiting`);
        rows.push({ store: dialect, executions: size, ...(await visitAll(browser, database)) });
        await database.drop();
      }
      return rows;
    } finally {
      await browser.close();
      await databases.close();
    }
  },
};

async function fill(database: BenchDatabase, executions: number): Promise<void> {
  const runtime = await startRuntime({ database, role: 'all' });
  const templates = await makeTemplates(callsTo(runtime.url));
  await runtime.stop();
  if (database.dialect === 'sqlite') {
    fillSqliteExecutions(database.url, executions, templates);
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // Every second one is the tenant's.
  const given = { executions: 2 * executions, eventsOfOneIn: EVENTS_OF_ONE_IN };
  await fillExecutions(client, given, templates);
  await client.end();
}

interface Visit {
  readonly firstRowMs: number;
  readonly countsMs: number;
  readonly largestBytes: number;
}

/** The process has not answered these requests before the first visit, which counts as the others. */
async function visitAll(browser: Browser, database: BenchDatabase): Promise<Row> {
  const role = database.dialect === 'sqlite' ? 'all' : 'api';
  const runtime = await startRuntime({ database, role });
  try {
    const visits: Visit[] = [];
    for (let index = 0; index < VISITS; index += 1) {
      visits.push(await visitList(browser, runtime.url));
    }
    const of = (pick: (visit: Visit) => number, part: number): number =>
      quantile(
        visits.map(pick).toSorted((one, other) => one - other),
        part,
      );
    const median = of(({ firstRowMs }) => firstRowMs, 0.5);
    return {
      'first row ms': rounded(median),
      'first row ms, worst': rounded(of(({ firstRowMs }) => firstRowMs, 1)),
      'counts ms': rounded(of(({ countsMs }) => countsMs, 0.5)),
      'counts ms, worst': rounded(of(({ countsMs }) => countsMs, 1)),
      'largest answer kB': rounded(of(({ largestBytes }) => largestBytes, 1) / 1_000),
      gate: median < FIRST_ROW_MS_MAX ? 'met' : 'not met',
    };
  } finally {
    await runtime.stop();
  }
}

/** A profile of its own, so that nothing is in a cache; from the navigation until it is on screen. */
async function visitList(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(WAIT_MS);
  try {
    await context.request.post(`${url}/console/api/session`, {
      headers: { 'X-Svc-Console': '1' },
      data: { token: API_KEY },
    });
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/')) {
        sizes.push(
          response.body().then(
            ({ length }) => length,
            () => 0,
          ),
        );
      }
    });
    const began = performance.now();
    const sinceBegin = (): number => performance.now() - began;
    const [, firstRowMs, countsMs] = await Promise.all([
      page.goto(`${url}/console/executions`),
      page.locator('a[href*="executions/exec_"]').first().waitFor().then(sinceBegin),
      page.getByRole('slider', { name: 'Starts over time' }).waitFor().then(sinceBegin),
    ]);
    return { firstRowMs, countsMs, largestBytes: Math.max(...(await Promise.all(sizes))) };
  } finally {
    await context.close();
  }
}
