import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ProblemList } from '../workflow/problem.ts';
import { pointerTo } from '../workflow/problem.ts';
import { type Budget, BUDGET_ACTIONS, type TokenBudget } from './budget.ts';

/** Reads `token_budget`, `cost_budget_usd` and `on_budget_exceeded`; null: no budget. */
export function parseBudget(ir: JsonObject, problems: ProblemList): Budget | null {
  const tokens = readTokens(ir['token_budget'] ?? null, problems);
  const costUsd = ir['cost_budget_usd'] ?? null;
  const action = ir['on_budget_exceeded'] ?? 'fail';
  const isAmount = typeof costUsd === 'number' && costUsd > 0;
  if (costUsd !== null && !isAmount) {
    problems.add('/cost_budget_usd', 'must be a number of US dollars above 0');
  }
  const onExceeded = BUDGET_ACTIONS.find((known) => known === action);
  if (onExceeded === undefined) {
    problems.add('/on_budget_exceeded', `must be one of ${BUDGET_ACTIONS.join(', ')}`);
    return null;
  }
  if (Object.values(tokens).every((limit) => limit === null) && costUsd === null) return null;
  return { tokens, costUsd: isAmount ? costUsd : null, onExceeded };
}

const LIMITS = ['input_tokens', 'output_tokens', 'total_tokens'] as const;

/** A number is the limit of input and output together. */
function readTokens(value: JsonValue, problems: ProblemList): TokenBudget {
  const none = { input: null, output: null, total: null };
  if (!isJsonObject(value)) return { ...none, total: readCount(value, '', problems) };
  for (const key of Object.keys(value)) {
    if (LIMITS.some((known) => known === key)) continue;
    // A misspelt limit would be none.
    const message = `unknown key of a token budget: known are ${LIMITS.join(', ')}`;
    problems.add(`/token_budget${pointerTo(key)}`, message);
  }
  const read = (key: (typeof LIMITS)[number]) =>
    readCount(value[key] ?? null, pointerTo(key), problems);
  return {
    input: read('input_tokens'),
    output: read('output_tokens'),
    total: read('total_tokens'),
  };
}

function readCount(value: JsonValue, pointer: string, problems: ProblemList): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  problems.add(`/token_budget${pointer}`, 'must be a whole number above 0');
  return null;
}
