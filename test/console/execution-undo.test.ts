import { readFileSync } from 'node:fs';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

const TRIP = JSON.parse(
  readFileSync(new URL('../../examples/workflows/undo.json', import.meta.url), 'utf8'),
) as JsonObject;

story('an execution shows its undos, the one that failed, and its cause', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(TRIP);
  await tenant.work('flight', { id: 'f1' });
  await tenant.work('hotel', { id: 'h1' });
  await tenant.breakDown('car', { error: 'no cars left' });
  await tenant.breakDown('hotel.undo', { error: 'the desk is closed' });
  await tenant.work('flight.undo');
  await place.open(`executions/${id}`);
  const overview = page.getByRole('region', { name: 'Overview' });
  await overview.getByText('1 undone', { exact: true }).waitFor();
  await overview.getByText(/^failed: node car failed: no cars left \(.+\)$/).waitFor();
  const reason = page.getByRole('region', { name: 'Why it does not move' });
  await reason.getByText('dead lettered', { exact: true }).waitFor();
  await reason.getByText(/hotel\.undo is a dead letter: the desk is closed/).waitFor();
  t.deepEqual(await checkAccessibility(page), []);

  await page.goto(place.at('failures?tab=letters'));
  const letter = page
    .getByRole('table', { name: 'Dead letters' })
    .getByRole('row')
    .filter({ hasText: 'the desk is closed' });
  await letter.getByText('hotel', { exact: true }).click();
  await letter.getByText('Output of hotel').waitFor();
  await letter.getByText('"h1"').first().waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await letter.getByRole('button', { name: /^Give up/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Give up the undo of hotel?' });
  t.deepEqual(await checkAccessibility(page), []);
  await dialog.getByRole('button', { name: 'Give up' }).click();
  await dialog.waitFor({ state: 'detached' });
  await tenant.until(id, 'failed');
  await page.goto(place.at(`executions/${id}`));
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  await overview
    .getByText('1 undone, not undone: hotel (visit 0): given up: the desk is closed')
    .waitFor();
  await overview.getByText('node car failed: no cars left', { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
});
