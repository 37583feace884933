import type { JsonObject } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { Findings } from '../problem.ts';
import { pointerTo } from '../problem.ts';

const OBJECTS = [
  'retry_policies',
  'timeouts',
  'models',
  'tools',
  'mcp_servers',
  'remote_agents',
  'policies',
];
const STRINGS = ['name', 'description', 'start_node'];
const OPTIONAL = [
  'state_schema',
  'labels',
  'execution_labels',
  'policy',
  'data_policy',
  'token_budget',
  'cost_budget_usd',
  'on_budget_exceeded',
  'continue_as_new',
  'concurrency',
  'rate',
  'debounce',
  'batch',
  'fairness',
  'start_after',
  'start_deadline',
  ...OBJECTS,
  ...STRINGS,
];

/** Checks the keys of a definition that may be left out; null says the same. */
export function checkOptionalKeys(ir: JsonObject, { problems, warnings }: Findings): void {
  for (const key of OBJECTS) {
    const value = ir[key] ?? {};
    if (!isJsonObject(value)) problems.add(pointerTo(key), 'must be an object');
  }
  for (const key of STRINGS) {
    const value = ir[key] ?? '';
    if (typeof value !== 'string') problems.add(pointerTo(key), 'must be a string');
  }
  const schema = ir['state_schema'] ?? '';
  if (typeof schema !== 'string' && !isJsonObject(schema)) {
    problems.add('/state_schema', 'must be a JSON Schema object, or a string that refers to one');
  } else if (typeof schema === 'string' && schema !== '') {
    warnings.add(
      'not_resolved',
      '/state_schema',
      'a reference is kept but not resolved: input is not validated',
    );
  }
}

/** Leaves out the optional keys that are null. Unknown keys stay. */
export function withoutNullKeys(ir: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(ir).filter(([key, value]) => value !== null || !OPTIONAL.includes(key)),
  );
}
