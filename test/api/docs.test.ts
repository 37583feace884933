import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { format, resolveConfig } from 'prettier';

import { renderHttpDocs } from '../../src/api/openapi/http-docs.ts';
import { buildOpenApi } from '../../src/api/openapi/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import { workflowSchema } from '../../src/shared/domain/workflow/schema/workflow-schema.ts';
import { NODE_KINDS } from '../../src/shared/nodes/index.ts';

/*
 * The pages generated from the route list. `UPDATE_DOCS=1 npm test -- test/api/docs.test.ts` writes
 * them; review the difference like any other change.
 */

const folder = new URL('../../docs/', import.meta.url);
const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };
const document = buildOpenApi({ routes, version });

for (const [name, text] of [
  ['openapi.json', JSON.stringify(document)],
  ['workflow.schema.json', JSON.stringify(workflowSchema(NODE_KINDS))],
  ['reference/http-api.md', renderHttpDocs(document)],
] as const) {
  test(`docs/${name} is up to date`, async (t) => {
    const file = new URL(name, folder);
    const config = await resolveConfig(file);
    const current = await format(text, { ...config, filepath: file.pathname });
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, current);
    t.is(
      readFileSync(file, 'utf8'),
      current,
      'run: UPDATE_DOCS=1 npm test -- test/api/docs.test.ts',
    );
  });
}
