import test from 'ava';

import { nearestName } from '../../../src/shared/domain/nearest-name.ts';

const FIELDS = ['name', 'role', 'workflow_id', 'condition', 'input_mapping', 'retry_policy'];

for (const [typed, meant] of [
  ['conditon', 'condition'],
  ['inputmapping', 'input_mapping'],
  ['retry_polcy', 'retry_policy'],
  ['workflowId', 'workflow_id'],
  ['NAME', 'name'],
  ['nmae', 'name'],
  ['rol', 'role'],
] as const) {
  test(`${typed} was probably meant to be ${meant}`, (t) => {
    t.is(nearestName(typed, FIELDS), meant);
  });
}

test('a name that is far from every candidate is near none', (t) => {
  for (const name of ['tenant_id', 'x', '', 'xyz', 'enabled'])
    t.is(nearestName(name, FIELDS), null, name);
  t.is(nearestName('name', []), null);
});

test('the nearest of several is taken, and the first of two that are equally near', (t) => {
  t.is(nearestName('status', ['statue', 'status_', 'states']), 'statue');
  t.is(nearestName('timezon', ['time_zone', 'timezone']), 'timezone');
});

test('a very long name costs no more than its beginning', (t) => {
  t.is(nearestName('x'.repeat(1_000_000), FIELDS), null);
});
