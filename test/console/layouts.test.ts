import type { Page } from 'playwright-core';

import { makeSampleData, type SampleData } from './screenshots/sample-data.ts';
import { checkAccessibility } from './support/check-accessibility.ts';
import { findCutOff } from './support/find-cut-off.ts';
import { inBrowser, type Place } from './support/in-browser.ts';

/** A window of 1280 by 800 pixels at 200 %. */
const story = inBrowser({ viewport: { width: 640, height: 400 }, zoom: 2 });

const PHONE = { width: 375, height: 740 };

function listPages({ completed, waiting, failed }: SampleData): readonly string[] {
  return [
    '',
    'executions',
    `executions/${completed}`,
    `executions/${waiting}`,
    `executions/${failed}`,
    'inbox',
    'failures',
    'workers',
    'workflows',
    'workflows/order',
    'editor',
    'schedules',
    'webhooks',
    'agents',
    'memory',
    'audit',
    'tokens',
  ];
}

/** Pages of those who operate the installation. */
const INSTALLATION_PAGES = ['tenants', 'settings', 'system'];

story('every page is whole at 200 % and on a phone', async (t, place) => {
  const { tenant } = place;
  const data = await makeSampleData(tenant);
  await place.signIn();
  const found: string[] = [];
  for (const path of listPages(data)) found.push(...(await findFaults(place, path)));
  await place.signIn(place.runtime.apiKey);
  for (const path of INSTALLATION_PAGES) found.push(...(await findFaults(place, path)));
  t.deepEqual(found, []);
});

story('the graph jumps for who asks for less motion, and glides for others', async (t, place) => {
  const { page, tenant } = place;
  const { waiting } = await makeSampleData(tenant);
  await place.signIn();
  await openWhole(place, `executions/${waiting}`);
  await page.getByRole('button', { name: 'Zoom in' }).waitFor();
  t.deepEqual(await findMotion(page), []);
  t.is(await countSteps(page, 'Zoom in'), 1);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  t.true((await countSteps(page, 'Zoom out')) > 2);
});

async function findFaults(place: Place, path: string): Promise<readonly string[]> {
  const { page } = place;
  const zoomed = page.viewportSize() ?? PHONE;
  await openWhole(place, path);
  const atZoom = [...(await findCutOff(page)), ...(await checkAccessibility(page, ['light']))];
  await page.setViewportSize(PHONE);
  const onPhone = await findCutOff(page);
  await page.setViewportSize(zoomed);
  return [
    ...atZoom.map((fault) => `${path} at 200 %: ${fault}`),
    ...onPhone.map((fault) => `${path} on a phone: ${fault}`),
  ];
}

async function openWhole({ page, at }: Place, path: string): Promise<void> {
  await page.goto(at(path));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('status').filter({ hasText: '…' }).first().waitFor({ state: 'detached' });
}

/** Elements that would move: with a transition or an animation that takes time. */
function findMotion(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
    const takesTime = (durations) => durations.split(', ').some((one) => parseFloat(one) > 0);
    return takesTime(transitionDuration) || (animationName !== 'none' && takesTime(animationDuration));
  }).map((element) => element.tagName + '.' + element.getAttribute('class'))`);
}

/** How many different places the graph has, frame by frame, after a button of it is pressed. */
function countSteps(page: Page, button: string): Promise<number> {
  return page.evaluate(`(async () => {
    const shown = document.querySelector('.react-flow__viewport');
    const seen = new Set([shown.style.transform]);
    document.querySelector('button[aria-label="${button}"]').click();
    for (let still = 0; still < 20 || seen.size === 1; ) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      still = seen.has(shown.style.transform) ? still + 1 : 0;
      seen.add(shown.style.transform);
    }
    return seen.size - 1;
  })()`);
}
