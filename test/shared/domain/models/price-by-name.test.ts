import test from 'ava';

import { findPriceByName } from '../../../../src/shared/domain/models/price.ts';

const one = { input: 1, output: 2 };
const two = { input: 3, output: 4 };
const TABLE = {
  'a/m': one,
  'b/n': two,
  'a/shared': one,
  'b/shared': two,
  'c/*': one,
  'a/x/y': two,
};

const CASES = [
  ['a/m', one],
  ['m', one],
  ['n-2026-01-01', two],
  ['shared', null],
  ['b/shared', two],
  ['c/anything', one],
  ['anything', null],
  ['x/y', two],
  ['', null],
  ['__proto__', null],
] as const;

for (const [name, price] of CASES) {
  test(`the price of "${name}"`, (t) => {
    t.is(findPriceByName(TABLE, name), price);
  });
}
