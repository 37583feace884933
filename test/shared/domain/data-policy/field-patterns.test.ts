import test from 'ava';
import fc from 'fast-check';

import { FieldPatterns } from '../../../../src/shared/domain/data-policy/field-patterns.ts';
import { parseDataPolicy } from '../../../../src/shared/domain/data-policy/parse-data-policy.ts';
import { ProblemList } from '../../../../src/shared/domain/workflow/problem.ts';

const segment = fc.constantFrom('a', 'A', 'b', '__proto__', '*');
const path = fc.array(segment, { minLength: 1, maxLength: 4 });

test('a path matches where one of the patterns is its end', (t) => {
  fc.assert(
    fc.property(fc.array(path), path, (patterns, at) => {
      const isEnd = (pattern: readonly string[]) =>
        pattern.length <= at.length &&
        pattern.every((wanted, index) => {
          const found = at[at.length - pattern.length + index] ?? '';
          return wanted === '*' || wanted.toLowerCase() === found.toLowerCase();
        });
      t.is(new FieldPatterns(patterns).matches(at), patterns.some(isEnd));
    }),
  );
});

test('more patterns than anybody names are refused: reads look every member up in them', (t) => {
  const problemsOf = (fields: readonly string[]) => {
    const problems = new ProblemList();
    parseDataPolicy({ pii_fields: [...fields] }, '/data_policy', problems);
    return problems.count;
  };
  t.is(problemsOf(Array.from({ length: 1_000 }, (_, index) => `f${index}.a.b.c.d.e.f.g`)), 0);
  t.is(problemsOf(Array.from({ length: 1_001 }, (_, index) => `f${index}`)), 1);
  t.is(problemsOf(['a.b.c.d.e.f.g.h.i']), 1);
});
