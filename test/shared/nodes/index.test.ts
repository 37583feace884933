import test from 'ava';

import { NODE_KINDS, builtInKinds } from '../../../src/shared/nodes/index.ts';

test('a kind is found by its type and by each alias', (t) => {
  for (const kind of NODE_KINDS) {
    for (const name of [kind.type, ...kind.aliases]) t.is(builtInKinds.lookUp(name), kind);
  }
});

test('no name stands for two kinds', (t) => {
  const names = NODE_KINDS.flatMap(({ type, aliases }) => [type, ...aliases]);
  t.is(new Set(names).size, names.length);
});

test('an unknown kind is nothing', (t) => {
  for (const type of ['', 'toString', '__proto__', 'Pass']) t.is(builtInKinds.lookUp(type), null);
});
