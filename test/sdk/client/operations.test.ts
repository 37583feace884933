import { readFile } from 'node:fs/promises';
import test from 'ava';
import { createClient } from 'svc-sdk/client';

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
}

type Method = (...given: readonly unknown[]) => unknown;

/** Methods whose second argument is an id, too. */
const TWO_IDS = ['redeliver'];
const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url);

/** An id in a path, a query without parameters, or a list of one start: as the method takes it. */
const ID = Object.create({
  toString: () => 'x/y',
  [Symbol.iterator]: () => ['x'].values(),
}) as string;

test('every operation of the API is a method of the client, with its path filled in', async (t) => {
  const document = JSON.parse(await readFile(DOCUMENT, 'utf8')) as ApiDocument;
  const offered = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const sent = new Set<string>();
  const client = createClient({
    url: 'http://127.0.0.1:1/base/',
    retry: { attempts: 1 },
    environment: {
      fetch: async (input, init) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        sent.add(`${init?.method} ${pathname.replace(/^\/base/, '')}`);
        return Response.json({ error: 'not found: x' }, { status: 404 });
      },
    },
  });
  for (const area of Object.values(client)) {
    if (typeof area === 'function') continue;
    for (const [name, method] of Object.entries(area) as [string, Method][]) {
      const second = TWO_IDS.includes(name) ? 'x/y' : {};
      const returned = method(ID, second, {}) as { page?: () => Promise<unknown> };
      const asked = typeof returned.page === 'function' ? returned.page() : returned;
      await t.throwsAsync(asked as Promise<unknown>, { name: 'NotFoundError' });
    }
  }
  const expected = offered.map((one) => one.replaceAll(/\{\w+\}/g, 'x%2Fy'));
  t.deepEqual([...sent].toSorted(), expected.toSorted());
});
