import { expectStatus } from '../support/tenant.ts';
import { inBrowser } from './support/in-browser.ts';
import { makeLargeExecution } from './support/large-execution.ts';

const story = inBrowser();

const EVENTS = 50_000;
const HEAP_BYTES_MAX = 150 * 1024 * 1024;
/** A quiet machine needs less than 1.5 s; the bound is for a busy one. */
const INTERACTIVE_MS_MAX = 10_000;

story('an execution of 50 000 events is read in windows', async (t, place) => {
  const { page, tenant } = place;
  const large = makeLargeExecution(EVENTS);
  expectStatus(await tenant.post('/executions/import', large.document), 201);
  await place.signIn();
  const session = await place.context.newCDPSession(page);
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

  const begun = performance.now();
  await page.goto(place.at(`executions/${large.executionId}`));
  const list = page.getByRole('list', { name: 'Events', exact: true });
  await list.getByRole('button', { name: /^1 .*WorkflowStarted/ }).waitFor();
  await list.getByRole('button', { name: /^2 .*NodeScheduled/ }).click();
  const interactiveMs = performance.now() - begun;
  t.log(`interactive after ${Math.round(interactiveMs)} ms`);

  // A jump reads only the page around it.
  const far = 40_000;
  await page.getByLabel('Sequence').fill(String(far));
  await page.getByRole('button', { name: 'Jump' }).click();
  await list.getByRole('button', { name: new RegExp(`^${far} `) }).waitFor();
  await page.getByText(`After event ${far} of ${large.events}`).waitFor();
  await page
    .getByRole('region', { name: `State after event ${far}` })
    .getByText('count')
    .waitFor();

  // The map at its end: how far it is, and the item that failed comes first.
  await page.getByRole('button', { name: 'Follow the last event' }).click();
  await page
    .getByRole('list', { name: 'Nodes', exact: true })
    .getByRole('button', { name: 'each', exact: true })
    .click();
  const items = page.getByRole('list', { name: 'Items of each' });
  await items.getByText('item 7 is broken').waitFor();
  t.regex(await items.getByRole('listitem').first().innerText(), /Item 7/);
  await page
    .getByRole('heading', { name: `${large.items - 1}/${large.items} items done, 1 failed` })
    .waitFor();

  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const bytes = await Promise.all(sizes);
  t.log(`heap ${Math.round(usedSize / 1024 / 1024)} MiB, largest answer ${Math.max(...bytes)} B`);
  t.true(usedSize < HEAP_BYTES_MAX, `${usedSize} bytes of heap`);
  t.true(Math.max(...bytes) < 1024 * 1024);
  t.true(interactiveMs < INTERACTIVE_MS_MAX, `${interactiveMs} ms`);
});
