import type { Page } from 'playwright-core';

import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

const definition = (page: Page) => page.getByRole('textbox', { name: 'Workflow definition' });

/** Replaces the whole text, as a person who pastes it. */
async function write(page: Page, text: string): Promise<void> {
  await definition(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

const WRONG = `workflow_id: parcels
version: 1.0.0
nodes:
  pack:
    kind: nap
`;

const RIGHT = `workflow_id: parcels
version: 1.0.0
start_node: weigh
nodes:
  weigh:
    kind:
      type: condition
      branches:
        - { condition: state.grams > 1000, target: heavy }
        - { target: light }
  heavy: { kind: { type: python_fn, module: m, function: f }, output_key: carrier }
  light: { kind: { type: pass, output: { carrier: letter } } }
`;

story('a problem shows at its place, and the draft outlives a reload', async (t, place) => {
  const { page, open } = place;
  await open('editor');
  await page.getByText('registering it makes a new workflow').waitFor();
  await write(page, WRONG);
  await page.getByText('cannot run').waitFor();
  await page.getByRole('tab', { name: 'Problems (1)' }).click();
  await page.getByText('/nodes/pack/kind: unknown kind "nap"').waitFor();
  t.is(await page.getByRole('button', { name: 'Register…' }).isDisabled(), true);
  t.deepEqual(await checkAccessibility(page), []);
  await page.getByRole('button', { name: 'line 5' }).click();
  // The caret is at the place: what is typed replaces the wrong word.
  await page.keyboard.press('Control+Delete');
  await page.keyboard.insertText('pass');
  await page.getByText('registering it makes a new workflow').waitFor();
  await page.reload();
  await page.getByText('parcels 1.0.0: registering it makes a new workflow').waitFor();
  t.regex((await definition(page).textContent()) ?? '', /workflow_id: parcels/);
  await page.getByRole('button', { name: 'As JSON' }).click();
  await page.getByRole('button', { name: 'As YAML' }).waitFor();
  t.regex((await definition(page).textContent()) ?? '', /"workflow_id": "parcels"/);
  await page.getByText('parcels 1.0.0: registering it makes a new workflow').waitFor();
});

story('the served schema completes keys, kinds and names of nodes', async (t, place) => {
  const { page, open } = place;
  await open('editor');
  await page.getByText('registering it makes a new workflow').waitFor();
  const complete = async (text: string, option: string) => {
    await write(page, text);
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: option, exact: true }).click();
    const written = definition(page).locator('.cm-line').last();
    return (await written.textContent()) ?? '';
  };
  t.is(await complete('workflow_id: w\nstart_', 'start_node'), 'start_node: ');
  const node = 'workflow_id: w\nnodes:\n  pay:\n    kind:\n      type: ';
  t.regex(await complete(`${node}human`, 'human_approval'), /type: human_approval$/);
  t.regex(await complete(`${node}map\n      it`, 'items'), /items: $/);
  t.regex(await complete('nodes:\n  pay: {}\nstart_node: p', 'pay'), /start_node: pay$/);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('greeting 1.0.0: registering it makes a new workflow').waitFor();
});

story('a definition is simulated, registered, changed and registered again', async (t, place) => {
  const { page, tenant, open, at } = place;
  await open('editor');
  await definition(page).waitFor();
  await write(page, RIGHT);
  await page.getByText('parcels 1.0.0: registering it makes a new workflow').waitFor();
  await page.getByRole('tab', { name: 'Simulate' }).click();
  await page.getByLabel('Sample input').fill('{"grams": 2000}');
  await page.getByLabel('Sample outputs').fill('{"heavy": {"output": "truck"}}');
  await page.getByRole('button', { name: 'Run in memory' }).click();
  const result = page.getByRole('region', { name: 'Result of the simulation' });
  await result.getByRole('button', { name: /^heavy, python_fn, completed/ }).waitFor();
  await result.getByRole('button', { name: /^light, pass, skipped/ }).waitFor();
  await result.getByText('state.grams = 2000', { exact: true }).waitFor();
  await result.getByText('"truck"').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  t.is((await tenant.get('/workflows/parcels')).status, 404);
  await page.getByRole('button', { name: 'Register…' }).click();
  const first = page.getByRole('dialog', { name: 'Register parcels 1.0.0' });
  await first.getByText('This is the first version of the workflow.').waitFor();
  await first.getByRole('button', { name: 'Register', exact: true }).click();
  await page.waitForURL(at('workflows/parcels?version=1.0.0'));
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByText('registering it makes no change').waitFor();
  await definition(page).click();
  const written = await tenant.get<{ readonly ir: object }>('/workflows/parcels');
  await write(
    page,
    JSON.stringify({ ...written.body.ir, version: '2.0.0', description: 'By weight', retry: 3 }),
  );
  await page.getByText('parcels 2.0.0: registering it makes a new version').waitFor();
  await page.getByRole('button', { name: 'Register…' }).click();
  const second = page.getByRole('dialog', { name: 'Register parcels 2.0.0' });
  await second.getByText('"By weight"').waitFor();
  await second.getByText('The graph is the same.').waitFor();
  const warnings = second.getByRole('region', { name: 'Warnings' });
  await warnings.getByText('/retry: unknown field "retry" is ignored here').waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await second.getByRole('button', { name: 'Register', exact: true }).click();
  await page.waitForURL(at('workflows/parcels?version=2.0.0'));
  const stored = await tenant.get<{ readonly version: string }>('/workflows/parcels');
  t.is(stored.body.version, '2.0.0');
});
