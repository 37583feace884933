import type { JsonObject } from '../../src/shared/domain/json.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

const DELIVERY: JsonObject = {
  workflow_id: 'delivery',
  nodes: {
    arrival: {
      kind: { type: 'wait', condition: 'external_event', correlation_key: 'parcel-7' },
      output_key: 'arrival',
    },
  },
};

const COOKING: JsonObject = {
  workflow_id: 'cooking',
  nodes: { cook: { kind: { type: 'python_fn', module: 'kitchen', function: 'cook' } } },
};

story('an event is sent to the wait that asks for it', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(DELIVERY);
  await tenant.untilEvent(id, 'ExternalEventWaiting', 'arrival');
  await place.open(`executions/${id}`);
  await page.getByText('awaiting event', { exact: true }).waitFor();
  // The remedy beside the reason, and the action of the head, know the key.
  await page.getByRole('button', { name: 'Send event', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Send an external event' });
  const key = dialog.getByLabel('Correlation key');
  t.is(await key.inputValue(), 'parcel-7');
  await dialog.getByRole('button', { name: 'Keep waiting' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send event parcel-7' }).click();
  t.is(await key.inputValue(), 'parcel-7');
  const send = dialog.getByRole('button', { name: 'Send event' });
  const payload = dialog.getByLabel('Payload, as JSON');
  await payload.fill('{"door": ');
  await dialog.getByText('This is no JSON.').waitFor();
  t.true(await send.isDisabled());
  await payload.fill(`{"door": "Ada's"}`);
  await dialog.getByText('By command or request').click();
  await dialog.getByText(`POST /executions/${id}/external-event`, { exact: true }).waitFor();
  t.deepEqual(await checkAccessibility(page), []);
  await send.click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Sent the event').waitFor();
  const { state } = await tenant.until(id, 'completed');
  t.like(state, { arrival: { door: "Ada's" } });
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  // The head and the reason are two readings, and each has its turn.
  const offers = page.getByRole('button', { name: /^Send event/ });
  await offers.first().waitFor({ state: 'detached' });
  t.is(await offers.count(), 0);
});

story('an event that is refused keeps its form as it was written', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(DELIVERY);
  await tenant.untilEvent(id, 'ExternalEventWaiting', 'arrival');
  await place.open(`executions/${id}`);
  await page.getByRole('button', { name: 'Send event parcel-7' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send an external event' });
  await dialog.getByLabel('Payload, as JSON').fill('{"kept": true}');
  // The execution ends while the form is open.
  await tenant.cancel(id);
  await tenant.until(id, 'cancelled');
  // The dialog covers the page: the heading exists, but not for assistive technology.
  await page.getByText('How it ended').waitFor();
  await dialog.getByRole('button', { name: 'Send event' }).click();
  await dialog.getByRole('alert').getByText('it has ended').waitFor();
  t.is(await dialog.getByLabel('Payload, as JSON').inputValue(), '{"kept": true}');
});

story('an execution is paused with a reason, and resumed', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(COOKING);
  await tenant.untilEvent(id, 'NodeScheduled', 'cook');
  await place.open(`executions/${id}`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause this execution' });
  await dialog.getByLabel('Reason').fill('the kitchen is cleaned');
  t.deepEqual(await checkAccessibility(page), []);
  await dialog.getByRole('button', { name: 'Pause execution' }).click();
  await dialog.waitFor({ state: 'detached' });
  const reason = page.getByRole('region', { name: 'Why it does not move' });
  await reason.getByText('paused by operator', { exact: true }).first().waitFor();
  t.is(await reason.getByRole('button', { name: 'Resume', exact: true }).count(), 1);
  await page.getByText(/alone, by .*: the kitchen is cleaned/).waitFor();
  t.false((await tenant.tryClaim()).claimed);
  t.is(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
  t.deepEqual(await checkAccessibility(page), []);

  await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor({ state: 'detached' });
  await tenant.work('cook');
  await tenant.until(id, 'completed');
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
});
