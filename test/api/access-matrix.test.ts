import test from 'ava';

import { ACCESS_MATRIX } from '../../src/api/access-matrix.ts';
import { routes } from '../../src/api/routes.ts';
import { missingRole, needsToken, ROLES } from '../../src/shared/domain/access.ts';

const RULES = { openReady: false, reviewersMayApprove: false };

test('every route has an entry, and every entry a route', (t) => {
  const listed = routes.map(({ method, path }) => `${method} ${path}`);
  t.deepEqual(Object.keys(ACCESS_MATRIX).toSorted(), listed.toSorted());
});

for (const { method, path, access } of routes) {
  const route = `${method} ${path}`;

  test(`${route} lets in whom the matrix says, and nobody else`, (t) => {
    const grant = ACCESS_MATRIX[route];
    t.is(grant === 'anyone', !needsToken(access, RULES));
    if (grant === undefined || grant === 'anyone') return;
    const allowed = ROLES.filter((role) => missingRole({ access, role, rules: RULES }) === null);
    t.deepEqual([...grant], allowed);
  });
}
