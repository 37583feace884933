import test from 'ava';

import { inlineReference } from '../../../../src/shared/domain/artifact-reference.ts';
import type { DataPolicy } from '../../../../src/shared/domain/data-policy/data-policy.ts';
import { FieldPatterns } from '../../../../src/shared/domain/data-policy/field-patterns.ts';
import { redact } from '../../../../src/shared/domain/data-policy/redact.ts';

const policy = (changes: Partial<DataPolicy>): DataPolicy => ({
  piiFields: new FieldPatterns([]),
  detectors: [],
  action: 'mask',
  retainPrompts: false,
  retainOutputs: true,
  ...changes,
});
const pseudonym = (text: string) => `#${text.length}`;
const CUSTOMER = {
  email: 'a@b.example',
  list: [{ Email: null, name: 'Ann' }, { email: 'c@d.example' }],
  home: { address: { street: 'Elm' }, name: 'x' },
  note: 'mail a@b.example',
};

test('a name matches the field in any place and any case; null stays null', (t) => {
  t.deepEqual(redact(CUSTOMER, policy({ piiFields: new FieldPatterns([['email']]) }), null), {
    ...CUSTOMER,
    email: '***',
    list: [{ Email: null, name: 'Ann' }, { email: '***' }],
  });
});

test('a path matches from its end, through lists, with a star for any name', (t) => {
  const fields = [
    ['list', 'name'],
    ['home', '*', 'street'],
  ];
  t.deepEqual(redact(CUSTOMER, policy({ piiFields: new FieldPatterns(fields) }), null), {
    ...CUSTOMER,
    list: [{ Email: null, name: '***' }, { email: 'c@d.example' }],
    home: { address: { street: '***' }, name: 'x' },
  });
});

test('remove takes fields and found text away', (t) => {
  const remove = policy({
    piiFields: new FieldPatterns([['home']]),
    detectors: ['email'],
    action: 'remove',
  });
  t.deepEqual(redact(CUSTOMER, remove, null), {
    email: '',
    list: [{ Email: null, name: 'Ann' }, { email: '' }],
    note: 'mail ',
  });
});

test('hash gives equal names to equal values, and masks where there is no key', (t) => {
  const hash = policy({
    piiFields: new FieldPatterns([['home'], ['name']]),
    detectors: ['email'],
    action: 'hash',
  });
  t.deepEqual(redact({ name: 'Ann', note: 'a@b.example', home: [1, 2] }, hash, pseudonym), {
    name: '#3',
    note: '#11',
    home: '#5',
  });
  t.deepEqual(redact({ name: 'Ann', note: 'a@b.example' }, hash, null), {
    name: '***',
    note: '[email]',
  });
});

test('a value that is kept elsewhere, unmasked, cannot be found from what is shown', (t) => {
  const kept = inlineReference({ hash: 'a'.repeat(64), size: 70_000 });
  const patched = { ...kept, patches: [{ email: 'a@b.example' }] };
  const hidden = { ...kept, $artifact: '***' };
  for (const fields of [
    policy({ piiFields: new FieldPatterns([['x']]) }),
    policy({ detectors: ['email'] }),
  ]) {
    t.deepEqual(redact({ page: kept, list: [patched] }, fields, null), {
      page: hidden,
      list: [hidden],
    });
  }
  t.deepEqual(redact({ page: kept }, policy({}), null), { page: kept });
});

test('keys and numbers stay', (t) => {
  const value = { 'a@b.example': 1, b: [true, null, 2] };
  t.deepEqual(redact(value, policy({ detectors: ['email'] }), null), value);
});
