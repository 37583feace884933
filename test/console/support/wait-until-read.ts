import type { Page } from 'playwright-core';

/**
 * The page has its title, nothing is being read or laid out, and half a second passes without a request.
 * Its policy forbids scripts to evaluate text, which `waitForFunction` does from its second look on: so
 * the wait is for elements.
 */
export async function waitUntilRead(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
  const unread = page.locator('[role=status]').filter({ hasText: /…\s*$/ });
  await unread.first().waitFor({ state: 'detached' });
}
