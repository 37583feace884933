import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const THEMES = ['light', 'dark'] as const;
/** WCAG 2.2 at level AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The violations of WCAG 2.2 AA on the page as it is now, in both themes; none is an empty list. */
export async function checkAccessibility(
  page: Page,
  themes: readonly (typeof THEMES)[number][] = THEMES,
): Promise<readonly string[]> {
  const source = await readFile(AXE, 'utf8');
  const options = { runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'] };
  const found: string[] = [];
  for (const theme of themes) {
    // Without motion, so that no colour is half-way between two.
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    // As text: the debugger's evaluation is not subject to the page's policy.
    await page.evaluate(`globalThis.axe === undefined && ${wrap(source)}`);
    const violations: readonly Violation[] = await page.evaluate(
      `axe.run(document, ${JSON.stringify(options)}).then((result) => result.violations)`,
    );
    for (const { id, help, nodes } of violations) {
      for (const { html, failureSummary = '' } of nodes) {
        found.push(`${theme}: ${id} (${help}): ${html} ${failureSummary}`);
      }
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  return found;
}

/** The library as an expression without a value that the debugger would have to copy. */
function wrap(source: string): string {
  return `(() => { ${source}; })()`;
}
