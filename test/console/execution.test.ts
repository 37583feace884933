import type { Page } from 'playwright-core';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { claimTurn, FUNCTION, record, step } from '../support/functions.ts';
import { expectStatus } from '../support/tenant.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { inBrowser } from './support/in-browser.ts';

const story = inBrowser();

/** Work by a worker, a person's decision, and an end. */
function ordering(workflowId: string): JsonObject {
  return {
    workflow_id: workflowId,
    version: '1',
    nodes: {
      reserve: { kind: { type: 'python_fn', module: 'shop', function: 'reserve' } },
      sign: { kind: { type: 'human_approval', description: 'Sign the order?' } },
      done: { kind: 'pass' },
    },
    edges: [
      { from: 'reserve', to: 'sign' },
      { from: 'sign', to: 'done' },
    ],
  };
}

function region(page: Page, name: string) {
  return page.getByRole('region', { name, exact: true });
}

async function waitForSearch(page: Page, search: Readonly<Record<string, string>>): Promise<void> {
  await page.waitForURL((url) =>
    Object.entries(search).every(([name, value]) => url.searchParams.get(name) === value),
  );
}

story(
  'an execution is approved on its page, and its panes are stepped through',
  async (t, place) => {
    const { page, tenant } = place;
    const id = await tenant.run(ordering('ordering'), { order: { id: 7, paid: false } });
    await tenant.work('reserve', { ok: true }, { state_patch: { order: { paid: true } } });
    await tenant.until(id, 'paused');
    await place.open(`executions/${id}`);
    await page.getByRole('heading', { name: 'ordering', level: 1 }).waitFor();
    const approval = page.getByRole('article', { name: 'Approval of sign' });
    await approval.getByRole('heading', { name: 'Sign the order?' }).waitFor();
    await approval
      .getByText('It waits until somebody decides. After a rejection, the node fails.')
      .waitFor();
    const why = region(page, 'Why it does not move');
    await why.getByText('You can decide it below.').waitFor();
    t.false((await why.textContent())?.includes('POST'));
    await approval.getByLabel('Comment').fill('Fine by me');
    await approval.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'How it ended' }).waitFor();
    await approval.waitFor({ state: 'detached' });
    const events = await tenant.events(id);
    t.like(events.find(({ kind }) => kind === 'ApprovalReceived')?.payload, {
      decision: 'approved',
      comment: 'Fine by me',
    });

    // An event moves all panes.
    const completed = events.find(
      ({ kind, node_id: node }) => kind === 'NodeCompleted' && node === 'reserve',
    );
    const sequence = String(completed?.sequence);
    const list = page.getByRole('list', { name: 'Events', exact: true });
    await list.getByRole('button', { name: /NodeCompleted reserve/ }).click();
    await waitForSearch(page, { at: sequence, node: 'reserve' });
    await page.getByText(`After event ${sequence} of ${events.length}`).waitFor();
    await region(page, `State after event ${sequence}`).getByText('paid').waitFor();
    await region(page, `Payload of event ${sequence}`).waitFor();
    const nodes = page.getByRole('list', { name: 'Nodes', exact: true });
    t.is(await nodes.getByRole('button', { name: 'reserve' }).getAttribute('aria-current'), 'true');

    // The changes of that event, and who set the key.
    await page.getByRole('tab', { name: 'Changes' }).click();
    await region(page, 'Changes').getByText('/order/paid').waitFor();
    await page.getByRole('tab', { name: 'Who set it' }).click();
    await region(page, 'Who set each key')
      .getByText(/^worker:/)
      .first()
      .waitFor();
    await region(page, 'Who set each key')
      .getByRole('button', { name: /NodeCompleted/ })
      .click();
    await waitForSearch(page, { at: sequence, node: 'reserve', state: 'blame' });

    // The slider moves by keyboard, and the address follows.
    await page.getByRole('slider', { name: 'State after event' }).press('Home');
    await waitForSearch(page, { at: '0' });
    await page.getByText(`After event 0 of ${events.length}`).waitFor();

    // A visit in the timeline, and a jump.
    const visits = page.getByRole('list', { name: 'Visits' });
    await visits.getByRole('button', { name: /^sign: .*completed$/ }).click();
    await waitForSearch(page, { node: 'sign' });
    await page.getByLabel('Sequence').fill('1');
    await page.getByRole('button', { name: 'Jump' }).click();
    await waitForSearch(page, { at: '1' });
    await region(page, 'Payload of event 1').getByText('ordering').first().waitFor();
    t.deepEqual(await checkAccessibility(page), []);

    // An address leads back to the same point, and filters stay in it.
    await page.getByRole('button', { name: 'people' }).click();
    await waitForSearch(page, { at: '1', kinds: 'people' });
    await page.reload();
    await list.getByRole('button', { name: /ApprovalReceived sign/ }).waitFor();
    t.is(await list.getByRole('button').count(), 2);
    await page.getByRole('button', { name: 'Follow the last event' }).click();
    await page.getByText(`After event ${events.length} of ${events.length}`).waitFor();
  },
);

story('the page stays live through a kill and a restart of the api', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ordering('restarted'));
  await tenant.until(id, 'running');
  await place.open(`executions/${id}`);
  await page.getByText('live', { exact: true }).waitFor();
  await page
    .getByText('waiting in queue', { exact: true })
    .or(page.getByText('no worker for queue', { exact: true }))
    .waitFor();
  await place.stopApi();
  await page.getByText('connection lost, catching up').waitFor();
  await place.restartApi();
  await page.getByText('live', { exact: true }).waitFor();
  await tenant.work('reserve', { ok: true });
  await tenant.until(id, 'paused');
  await page.getByRole('article', { name: 'Approval of sign' }).waitFor();
  const asked = (await tenant.events(id)).length;
  await page.getByText(`After event ${asked} of ${asked}`).waitFor();
  expectStatus(await tenant.post(`/executions/${id}/cancel`), 200);
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  await page.getByText('complete', { exact: true }).waitFor();
  const all = (await tenant.events(id)).length;
  await page.getByText(`After event ${all} of ${all}`).waitFor();
  t.is(await page.getByRole('button', { name: 'Cancel', exact: true }).count(), 0);
});

story('a comment outlives the decision of another person', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run({
    nodes: { sign: { kind: { type: 'human_approval', description: 'Sign it?' } } },
  });
  await tenant.until(id, 'paused');
  await place.open(`executions/${id}`);
  const approval = page.getByRole('article', { name: 'Approval of sign' });
  await approval.getByLabel('Comment').fill('The sum is wrong, because');
  const decision = { decision: 'approved', user_id: 'dana', comment: 'Checked twice' } as const;
  t.true((await tenant.approve(id, decision)).accepted);
  const ended = page.getByRole('article', { name: 'Decision on sign' });
  await ended.getByText(/^dana approved it/).waitFor();
  await ended.getByText('Checked twice').waitFor();
  t.is(await ended.getByLabel('Your comment').inputValue(), 'The sum is wrong, because');
  t.is(await approval.count(), 0);
  t.deepEqual(await checkAccessibility(page), []);
  await ended.getByRole('button', { name: 'Close' }).click();
  await ended.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  t.is(await page.getByRole('heading', { name: /for a decision/ }).count(), 0);
});

story('work waits for a worker until one claims it, which leaves no event', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ordering('claimed'));
  await tenant.untilEvent(id, 'NodeScheduled', 'reserve');
  await place.open(`executions/${id}`);
  const visits = page.getByRole('list', { name: 'Visits' });
  const nodes = page.getByRole('list', { name: 'Nodes', exact: true });
  const card = page.locator('[data-node="reserve"]');
  await visits.getByRole('button', { name: /^reserve: waiting for a worker for [^,]*$/ }).waitFor();
  await nodes.getByText('waiting for a worker', { exact: true }).waitFor();
  t.is(await card.getAttribute('data-status'), 'waiting_for_a_worker');
  t.deepEqual(await checkAccessibility(page), []);

  const before = (await tenant.events(id)).length;
  const item = await tenant.claimOf('reserve');
  await visits
    .getByRole('button', { name: /^reserve: waiting for a worker for [^,]*, running for [^,]*$/ })
    .waitFor();
  await nodes.getByText('running', { exact: true }).waitFor();
  t.is(await card.getAttribute('data-status'), 'running');
  t.is((await tenant.events(id)).length, before);

  // An earlier point has only the history, which does not know of claims.
  expectStatus(await tenant.complete(item, { ok: true }), 200);
  await nodes.getByText('completed', { exact: true }).waitFor();
  await page.goto(place.at(`executions/${id}?at=${before}`));
  await nodes.getByText('under way', { exact: true }).waitFor();
});

story('a map shows how far it is, live, and its failed items first', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(
    {
      workflow_id: 'mapped',
      version: '1',
      nodes: {
        each: {
          kind: {
            type: 'map',
            items: 'input.orders',
            item_key: 'order',
            on_item_failure: 'collect',
            node: {
              id: 'ship',
              kind: { type: 'python_fn', module: 'shop', function: 'ship' },
              retry_policy: 'no_retry',
            },
          },
          output_key: 'shipped',
        },
      },
      edges: [],
    },
    { orders: ['x', 'y', 'z'] },
  );
  const items = [await tenant.claim(), await tenant.claim(), await tenant.claim()] as const;
  await place.open(`executions/${id}?node=each`);
  await page.getByRole('heading', { name: '0/3 items done' }).waitFor();
  expectStatus(await tenant.complete(items[0], { done: 0 }), 200);
  await page.getByRole('heading', { name: '1/3 items done' }).waitFor();
  expectStatus(await tenant.fail(items[2], { error: 'no such order' }), 200);
  await page.getByRole('heading', { name: '1/3 items done, 1 failed' }).waitFor();
  expectStatus(await tenant.complete(items[1], { done: 1 }), 200);
  await page.getByRole('heading', { name: '2/3 items done, 1 failed' }).waitFor();
  await page.getByRole('heading', { name: 'How it ended' }).waitFor();
  const lines = page.getByRole('list', { name: 'Items of each' }).getByRole('listitem');
  await lines.first().getByText('no such order').waitFor();
  await lines.first().getByRole('button', { name: 'Item 2' }).waitFor();
  t.is(await lines.count(), 3);
});

story('a durable function shows its journal as a tree', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run({
    workflow_id: 'functional',
    version: '1',
    nodes: { order: { ...FUNCTION, output_key: 'order' } },
    edges: [],
  });
  const item = await claimTurn(tenant);
  expectStatus(await record(tenant, item, [step('charge/card', { paid: 3 })]), 200);
  await place.open(`executions/${id}?node=order`);
  const journal = page.getByRole('region', { name: 'Journal of order' });
  await journal.getByRole('heading', { name: 'Journal: 1 entry' }).waitFor();
  const more = { expected_length: 1, entries: [step('charge/receipt'), step('ship', 'sent')] };
  expectStatus(await tenant.complete(item, { done: true }, more), 200);
  await journal.getByRole('heading', { name: 'Journal: 3 entries' }).waitFor();
  const history = page.getByRole('list', { name: 'Events' });
  await history.getByText('charge/receipt · ship').waitFor();
  const charge = journal.getByRole('listitem').filter({ hasText: /^charge/ });
  await charge.getByRole('button', { name: 'receipt' }).waitFor();
  await charge.getByRole('button', { name: 'card' }).click();
  const recorded = (await tenant.events(id)).find(({ kind }) => kind === 'StepRecorded');
  await waitForSearch(page, { at: String(recorded?.sequence), node: 'order' });
  await journal.getByRole('heading', { name: 'Journal: 1 entry' }).waitFor();
  await journal.getByText('Output').click();
  await journal.getByRole('region', { name: 'Output of charge/card' }).getByText('paid').waitFor();
  t.pass();
});

story('a reader may look, and is offered nothing that changes the execution', async (t, place) => {
  const { page, tenant } = place;
  const id = await tenant.run(ordering('shown'));
  await tenant.work('reserve');
  await tenant.until(id, 'paused');
  await place.signIn(await place.newToken('viewer'));
  await page.goto(place.at(`executions/${id}`));
  await page.getByText('Your role may not decide this.').waitFor();
  for (const name of ['Approve', 'Cancel', 'Pause', 'Send event']) {
    t.is(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  }
  // On a phone nothing but the tables scrolls sideways.
  await page.setViewportSize({ width: 375, height: 800 });
  await page.getByRole('list', { name: 'Visits' }).waitFor();
  t.is(await page.evaluate('document.documentElement.scrollWidth'), 375);
  await page.goto(place.at(`executions/exec_${'0'.repeat(32)}`));
  await page.getByRole('alert').getByText('not found').waitFor();
  await page.getByRole('alert').getByText('Request').waitFor();
});
