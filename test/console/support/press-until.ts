import type { Locator, Page } from 'playwright-core';

import { WAIT_MS } from './in-browser.ts';

const ONE_WAIT_MS = 3_000;

/**
 * Presses a key until an element shows. A key that comes before the page listens is lost, so it is for
 * keys that change nothing when they are pressed again.
 */
export async function pressUntil(page: Page, key: string, shown: Locator): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    await page.keyboard.press(key);
    try {
      await shown.waitFor({ timeout: ONE_WAIT_MS });
      return;
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
  }
}
