import test from 'ava';

import * as byPath from '../../../sdk/typescript/src/index.ts';

test('a module is the same by its path and by the name of its package', async (t) => {
  t.is(await import('svc-sdk'), byPath);
});

test('an import of a source that does not exist names it', async (t) => {
  const missing = './no-such-source.ts';
  await t.throwsAsync(import(missing), { message: /no-such-source\.ts/ });
});

test('no test file follows source maps', (t) => {
  t.false(process.sourceMapsEnabled);
});
