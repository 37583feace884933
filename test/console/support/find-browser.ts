import { existsSync } from 'node:fs';

/** Debian's packages `chromium-headless-shell` and `chromium`, and the usual places of others. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The browser of the stories; null: this machine has none. `SVC_TEST_BROWSER` names another. */
export function findBrowser(): string | null {
  const named = process.env['SVC_TEST_BROWSER'];
  return [...(named ? [named] : []), ...PLACES].find((place) => existsSync(place)) ?? null;
}
