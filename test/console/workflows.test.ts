import type { JsonObject } from '../../src/shared/domain/json.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

/** Runs without a worker: the input decides between two ways. */
function makeGreeting(version: string, more: JsonObject = {}): JsonObject {
  return {
    workflow_id: 'greeting',
    version,
    description: 'Greets people by the time of the day.',
    state_schema: {
      type: 'object',
      required: ['name', 'hour'],
      properties: {
        name: { type: 'string', description: 'Of the person.' },
        hour: { type: 'integer' },
        polite: { type: 'boolean' },
      },
    },
    start_node: 'look',
    nodes: {
      look: {
        kind: {
          type: 'condition',
          branches: [{ condition: 'state.hour < 12', target: 'morning' }, { target: 'evening' }],
        },
      },
      morning: { kind: { type: 'pass', output: { said: 'Good morning' } } },
      evening: { kind: { type: 'pass', output: { said: 'Good evening' } } },
      sign: { kind: { type: 'pass', output: { signed: true } } },
    },
    edges: [
      { from: 'morning', to: 'sign' },
      { from: 'evening', to: 'sign' },
    ],
    ...more,
  };
}

story('a person finds a workflow and starts it with its form', async (t, place) => {
  const { page, tenant, open, at } = place;
  await open('workflows');
  await page.getByRole('heading', { name: 'No workflow is registered' }).waitFor();
  await page.getByRole('link', { name: 'Write one in the editor' }).waitFor();
  await tenant.post('/workflows', { ir: makeGreeting('1') });
  await page.reload();
  await page.getByRole('link', { name: 'greeting', exact: true }).click();
  await page.getByRole('button', { name: /^look, condition, start/ }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByRole('tab', { name: 'Start' }).click();
  const form = page.getByRole('form', { name: 'Start greeting' });
  await form.getByRole('button', { name: 'Start execution' }).click();
  await form.getByText('This is required.').first().waitFor();
  await form.getByLabel('name (required)').fill('Ada');
  await form.getByLabel('hour (required)').fill('nine');
  await form.getByRole('button', { name: 'Start execution' }).click();
  await form.getByText('Write a number.').waitFor();
  await form.getByLabel('hour (required)').fill('9');
  await form.getByLabel('polite').selectOption('true');
  await form.getByLabel('Labels').fill('customer');
  await form.getByRole('button', { name: 'Start execution' }).click();
  await form.getByText('Write a label as name=value: customer').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await form.getByLabel('Labels').fill('customer = acme\n\nformula=a=b\n');
  t.deepEqual(await checkAccessibility(page), []);
  await form.getByRole('button', { name: 'Start execution' }).click();
  await page.waitForURL(/\/executions\/exec_[0-9a-f]{32}/);
  const id = /exec_[0-9a-f]{32}/.exec(page.url())?.[0] ?? '';
  const { state, labels } = await tenant.until(id, 'completed');
  t.deepEqual(labels, { customer: 'acme', formula: 'a=b' });
  t.like(state, { name: 'Ada', hour: 9, polite: true, said: 'Good morning' });
  // The form remembers the input in this browser.
  await page.goto(at('workflows/greeting?tab=start'));
  const again = page.getByRole('form', { name: 'Start greeting' });
  await again.getByLabel('name (required)').waitFor();
  t.is(await again.getByLabel('name (required)').inputValue(), 'Ada');
  t.is(await again.getByLabel('hour (required)').inputValue(), '9');
});

story('two versions are compared as a graph and as text', async (t, place) => {
  const { page, tenant, open } = place;
  await tenant.post('/workflows', { ir: makeGreeting('1') });
  const { nodes } = makeGreeting('2');
  const changed = {
    ...(nodes as JsonObject),
    evening: { kind: { type: 'pass', output: { said: 'Good night' } } },
    log: { kind: { type: 'pass', output: { logged: true } } },
  };
  const edges = [
    { from: 'morning', to: 'sign' },
    { from: 'evening', to: 'log' },
  ];
  await tenant.post('/workflows', { ir: makeGreeting('2', { nodes: changed, edges }) });
  await open('workflows/greeting?tab=versions');
  await page.getByLabel('Compare version 2 with').selectOption('1');
  await page
    .getByText('1 node added, 1 node changed, 1 edge added, 1 edge removed.', { exact: true })
    .waitFor();
  await page.getByRole('button', { name: /^log, pass, added/ }).waitFor();
  await page.getByRole('button', { name: /^evening, pass, changed/ }).waitFor();
  const text = page.getByLabel('Text from version 1 to 2');
  await text.getByText('Good night').waitFor();
  await text.getByText('Good evening').waitFor();
  t.regex(page.url(), /compare=1/);
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByRole('link', { name: '1', exact: true }).click();
  await page.getByText('1, revision 1').waitFor();
});

story('each version says how many executions of it run', async (t, place) => {
  const { page, tenant, open } = place;
  const packing = (version: string): JsonObject => ({
    workflow_id: 'packing',
    version,
    nodes: { pack: { kind: { type: 'python_fn', module: 'shop', function: 'pack' } } },
  });
  await tenant.register(packing('1'));
  await tenant.start('packing');
  await tenant.start('packing');
  await tenant.register(packing('2'));
  const last = await tenant.start('packing');
  await tenant.until(last, 'running');
  await open('workflows');
  await page.getByRole('link', { name: 'Running (1)' }).waitFor();
  await page.goto(place.at('workflows/packing?tab=versions'));
  const versions = page.getByRole('region', { name: 'Versions of packing' });
  await versions.getByRole('link', { name: 'Running (1)' }).waitFor();
  await versions.getByRole('link', { name: 'Running (2)' }).click();
  await page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
  t.regex(new URL(page.url()).searchParams.get('q') ?? '', /version = "1"/);
});

story(
  'the keyboard follows the edges of the graph, which also exists as text',
  async (t, place) => {
    const { page, tenant, open } = place;
    await tenant.post('/workflows', { ir: makeGreeting('1') });
    await open('workflows/greeting');
    const node = (id: string) => page.getByRole('button', { name: new RegExp(`^${id}, `) });
    const focused = (cards: string) => page.locator(`:is(${cards}):focus`);
    await node('look').focus();
    await page.keyboard.press('ArrowDown');
    // Either branch may be the nearer one.
    await focused('[data-node="morning"], [data-node="evening"]').waitFor();
    await page.keyboard.press('ArrowDown');
    await focused('[data-node="sign"]').waitFor();
    await page.keyboard.press('Home');
    await focused('[data-node="look"]').waitFor();
    await page.keyboard.press('End');
    await focused('[data-node="sign"]').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/node=sign/);
    await page.getByRole('heading', { name: 'Node sign' }).waitFor();
    t.is(await node('sign').getAttribute('aria-pressed'), 'true');
    await node('look').click();
    await page.getByRole('heading', { name: 'Node look' }).waitFor();
    for (const key of ['+', '-', '0', 'f']) await page.keyboard.press(key);
    await page.getByText('Graph as text').click();
    const line = 'look, condition, start, leads to morning if state.hour < 12; evening';
    await page.getByRole('listitem').filter({ hasText: line }).waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    t.deepEqual(await checkAccessibility(page), []);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    t.true(Number(width) <= 375, `the page is ${String(width)} pixels wide`);
  },
);

story('a workflow is paused with a reason and resumed', async (t, place) => {
  const { page, tenant, open, at, newToken, signIn } = place;
  await tenant.post('/workflows', { ir: makeGreeting('1') });
  await open('workflows');
  await page.getByRole('button', { name: 'Pause greeting' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause greeting' });
  await dialog.getByLabel('Reason').fill('the clock is wrong');
  t.deepEqual(await checkAccessibility(page), []);
  await dialog.getByRole('button', { name: 'Pause workflow' }).click();
  await page.getByRole('button', { name: 'Resume greeting' }).waitFor();
  await page.getByRole('link', { name: 'greeting', exact: true }).click();
  await page.getByText('the clock is wrong').waitFor();
  await signIn(await newToken('viewer'));
  await page.goto(at('workflows/greeting'));
  await page.getByText('the clock is wrong').waitFor();
  t.is(await page.getByRole('button', { name: 'Resume greeting' }).count(), 0);
  t.is(await page.getByRole('tab', { name: 'Start' }).count(), 0);
  await signIn();
  await page.reload();
  await page.getByRole('button', { name: 'Resume greeting' }).click();
  await page.getByRole('button', { name: 'Pause greeting' }).waitFor();
});
