import { readFile } from 'node:fs/promises';
import test from 'ava';

import { renderGenerated } from '../../../sdk/typescript/scripts/generate-types.ts';

const CLIENT = new URL('../../../sdk/typescript/src/client/', import.meta.url);

test('the generated files are those of docs/openapi.json: npm run sdk:types', async (t) => {
  for (const [name, text] of Object.entries(await renderGenerated())) {
    t.true((await readFile(new URL(name, CLIENT), 'utf8')) === text, name);
  }
});
