import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { format, resolveConfig } from 'prettier';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { printIrTypes } from './support/print-ir-types.ts';

/* The SDK's types of definitions match the schema that editors use. */

const root = new URL('../../../', import.meta.url);
const types = new URL('sdk/typescript/src/workflow/ir-types.ts', root);

test('the types of the definition are generated from its schema', async (t) => {
  const schema = JSON.parse(
    readFileSync(new URL('docs/workflow.schema.json', root), 'utf8'),
  ) as JsonObject;
  const options = await resolveConfig(types);
  const printed = await format(printIrTypes(schema), { ...options, parser: 'typescript' });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(types, printed);
  t.is(readFileSync(types, 'utf8'), printed);
});
