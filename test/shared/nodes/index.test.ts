import test from 'ava';
import { LATER_KINDS, NODE_KINDS, builtInKinds } from '../../../src/shared/nodes/index.ts';

test('a kind is found by its type and by each alias', (t) => {
  for (const kind of NODE_KINDS) {
    for (const name of [kind.type, ...kind.aliases]) {
      t.deepEqual(builtInKinds.lookUp(name), { found: 'kind', kind });
    }
  }
});

test('no name stands for two kinds, or for one that can and cannot run', (t) => {
  const names = [...NODE_KINDS.flatMap(({ type, aliases }) => [type, ...aliases]), ...LATER_KINDS];
  t.is(new Set(names).size, names.length);
});

test('kinds that cannot run yet are told from kinds that do not exist', (t) => {
  for (const type of LATER_KINDS) t.deepEqual(builtInKinds.lookUp(type), { found: 'later' });
  for (const type of ['', 'toString', '__proto__', 'Pass']) {
    t.deepEqual(builtInKinds.lookUp(type), { found: 'nothing' });
  }
});
