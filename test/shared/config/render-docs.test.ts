import { readFileSync } from 'node:fs';
import test from 'ava';
import { CONFIG_KEY_NAMES } from '../../../src/shared/config/keys.ts';
import { renderConfigDocs } from '../../../src/shared/config/render-docs.ts';

const PAGE = new URL('../../../docs/reference/configuration.md', import.meta.url);

test('docs/reference/configuration.md is rendered from the table of keys', (t) => {
  t.is(
    readFileSync(PAGE, 'utf8'),
    renderConfigDocs(),
    'the page is out of date: run `node bin/cli/generate-docs.ts`',
  );
});

test('every key is documented once', (t) => {
  const page = renderConfigDocs();
  for (const key of CONFIG_KEY_NAMES) t.is(page.split(`| \`${key}\` `).length, 2, key);
});
