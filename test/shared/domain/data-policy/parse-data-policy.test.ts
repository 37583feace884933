import test from 'ava';

import { parseDataPolicy } from '../../../../src/shared/domain/data-policy/parse-data-policy.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { ProblemList } from '../../../../src/shared/domain/workflow/problem.ts';

const read = (value: JsonObject) => {
  const problems = new ProblemList();
  const policy = parseDataPolicy(value, '/data_policy', problems);
  return { policy, problems: problems.toArray().map(({ pointer }) => pointer) };
};

test('pii_detectors and redaction_mode are other names of detectors and action', (t) => {
  const expected = { detectors: ['email'], action: 'hash' };
  t.deepEqual(read({ detectors: ['email'], action: 'hash' }).policy, expected as object);
  t.deepEqual(
    read({ pii_detectors: ['email'], redaction_mode: 'hash' }).policy,
    expected as object,
  );
});

test('an error names the field as the author wrote it', (t) => {
  t.deepEqual(read({ pii_detectors: ['mood'] }).problems, ['/data_policy/pii_detectors']);
  t.deepEqual(read({ redaction_mode: 'blur' }).problems, ['/data_policy/redaction_mode']);
  t.deepEqual(read({ detector: ['email'] }).problems, ['/data_policy/detector']);
});

test('both names of one key are refused', (t) => {
  t.deepEqual(read({ action: 'mask', redaction_mode: 'hash' }).problems, [
    '/data_policy/redaction_mode',
  ]);
});
