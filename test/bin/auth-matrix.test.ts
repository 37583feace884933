import test from 'ava';

import { routes } from '../../src/api/routes.ts';
import { createFolder, runSvc } from './run-svc.ts';

const folder = createFolder();
test.after.always(() => folder.remove());

test('0: the matrix has a line for every route', async (t) => {
  const { code, stdout, stderr } = await runSvc(['auth', 'matrix'], { cwd: folder.path });
  t.is(code, 0, stderr);
  t.regex(stdout, /^METHOD +PATH +NO TOKEN +OPERATOR +DEVELOPER +REVIEWER +VIEWER/m);
  t.regex(stdout, /^GET +\/health +yes +yes +yes +yes +yes/m);
  t.regex(stdout, /^POST +\/workflows +- +yes +yes +- +-/m);
  t.regex(stdout, /^PUT +\/tenants\/:id +- +yes +- +- +-/m);
  t.is(stdout.trimEnd().split('\n').length, routes.length + 1);
});

test('0: the same as JSON', async (t) => {
  const { stdout } = await runSvc(['auth', 'matrix', '-o', 'json'], { cwd: folder.path });
  const matrix = JSON.parse(stdout) as { readonly routes: readonly object[] };
  t.is(matrix.routes.length, routes.length);
  t.like(matrix.routes[0], { method: 'GET', path: '/', needs_token: false });
});
