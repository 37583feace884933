import { Router } from '@koa/router';
import fc from 'fast-check';
import test from 'ava';

import { createRouteTable } from '../../src/api/match-route.ts';
import { routes } from '../../src/api/routes.ts';

const table = createRouteTable(
  routes.map(({ method, path, name }) => ({ method, path, served: name })),
);

const hasRoute = (asked: string, target: string): boolean =>
  routes.some(({ method, path }) => path === target && method === asked);

test('a path without parameters comes before one with them only if its route does', (t) => {
  const ordered = createRouteTable([
    { method: 'GET', path: '/things/first', served: 'first' },
    { method: 'GET', path: '/things/:id', served: 'any' },
    { method: 'GET', path: '/things/last', served: 'last' },
  ]);
  const served = (path: string) => ordered.find('GET', path)?.served;
  t.deepEqual(['/things/first', '/things/other', '/things/last'].map(served), [
    'first',
    'any',
    'any',
  ]);
});

test('a parameter is one segment that is not empty, without its percent-encoding', (t) => {
  const paramsOf = (path: string) => table.find('GET', path)?.params ?? null;
  t.deepEqual(paramsOf('/executions/a%2Fb%20c'), { id: 'a/b c' });
  t.deepEqual(paramsOf('/executions/__proto__'), { id: '__proto__' });
  for (const path of ['/executions/', '/executions/a/', '/executions//events', '//executions/a']) {
    t.is(paramsOf(path), null, path);
  }
});

test('a HEAD is served by the route of GET', (t) => {
  t.is(table.find('HEAD', '/health')?.served, 'get-health');
  t.is(table.find('HEAD', '/work-items/claim'), null);
});

test('no parameter takes a path that a route has with another method', (t) => {
  t.is(table.find('POST', '/work-items/claim')?.served, 'claim-work-item');
  t.is(table.find('GET', '/work-items/claim'), null);
  t.is(table.find('GET', '/work-items/x')?.served, 'read-dead-letter');
  t.true(table.hasFixed('/work-items/claim'));
  t.false(table.hasFixed('/work-items/x'));
});

test('every other path is found as a router of regular expressions finds it', (t) => {
  const router = new Router({ sensitive: true, strict: true });
  for (const { method, path, name } of routes) {
    const served = Object.defineProperty(() => {}, 'name', { value: name });
    router.register(path, [method], served as never);
  }
  const words = [...new Set(routes.flatMap(({ path }) => path.split('/')))];
  const segment = fc.oneof(
    fc.constantFrom(...words, 'x', '%20', '%C3%A9', '.', '..', '*', 'EXECUTIONS'),
    fc.stringMatching(/^[\w.~$&()*+,;=:@-]{0,4}$/),
  );
  const path = fc.array(segment, { maxLength: 5 }).map((all) => `/${all.join('/')}`);
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
  fc.assert(
    fc.property(method, path, (asked, target) => {
      const [layer] = router.match(target, asked).pathAndMethod;
      const found = table.find(asked, target);
      if (found === null && table.hasFixed(target)) return t.false(hasRoute(asked, target));
      t.is(found?.served ?? null, layer?.stack[0]?.name ?? null);
      if (layer !== undefined && found !== null) {
        t.deepEqual({ ...found.params }, layer.params(target, layer.captures(target)));
      }
    }),
    { numRuns: 2_000 },
  );
});
