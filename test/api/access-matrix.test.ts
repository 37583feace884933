import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { format, resolveConfig } from 'prettier';

import { accessMatrix } from '../../src/api/access-matrix.ts';
import { routes } from '../../src/api/routes.ts';

/*
 * The table of who may use which route. A new route, or a change of its access, is a line in the
 * file, so that reviewers see it.
 */

const file = new URL('access-matrix.json', import.meta.url);

test('every route lets in the roles that the matrix names, and nobody else', async (t) => {
  const matrix = accessMatrix(routes).map(({ method, path, needsToken, roles }) => [
    `${method} ${path}`,
    needsToken ? roles.join(' ') : 'anyone',
  ]);
  const config = await resolveConfig(file);
  const text = JSON.stringify(Object.fromEntries(matrix));
  const current = await format(text, { ...config, filepath: file.pathname });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, current);
  t.is(
    readFileSync(file, 'utf8'),
    current,
    'run: UPDATE_DOCS=1 npm test -- test/api/access-matrix.test.ts',
  );
});
