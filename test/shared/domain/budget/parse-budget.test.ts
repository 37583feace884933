import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { isUsedUp } from '../../../../src/shared/domain/budget/budget.ts';
import { parseBudget } from '../../../../src/shared/domain/budget/parse-budget.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import { ProblemList } from '../../../../src/shared/domain/workflow/problem.ts';

const read = (ir: JsonObject) => {
  const problems = new ProblemList();
  const budget = parseBudget(ir, problems);
  return { budget, problems: problems.toArray().map(({ pointer }) => pointer) };
};

test('a number limits all tokens, an object each direction', (t) => {
  t.like(read({ token_budget: 100 }).budget, { tokens: { input: null, output: null, total: 100 } });
  t.like(read({ token_budget: { output_tokens: 5, total_tokens: 9 } }).budget, {
    tokens: { input: null, output: 5, total: 9 },
  });
  t.is(read({ token_budget: {} }).budget, null);
});

test('an invalid limit is refused at its place', (t) => {
  t.deepEqual(read({ token_budget: 'x' }).problems, ['/token_budget']);
  t.deepEqual(read({ token_budget: { input_tokens: 0 } }).problems, ['/token_budget/input_tokens']);
  t.deepEqual(read({ token_budget: { max_tokens: 5 } }).problems, ['/token_budget/max_tokens']);
});

test('a budget is used up when one of its limits is, as often as it was granted', (t) => {
  const { budget } = read({ token_budget: { input_tokens: 10, output_tokens: 4 } });
  if (budget === null) throw new Error('no budget');
  const account = 'exec_1' as ExecutionId;
  const isDone = (inputTokens: number, outputTokens: number, grants = 0) =>
    isUsedUp({ account, budget, spent: { inputTokens, outputTokens, costUsd: 0 } }, grants);
  t.false(isDone(9, 3));
  t.true(isDone(10, 0));
  t.true(isDone(0, 4));
  t.false(isDone(10, 4, 1));
  t.true(isDone(3, 8, 1));
});
