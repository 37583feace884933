import type { JsonObject } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { Findings } from './problem.ts';
import { pointerTo } from './problem.ts';

/** Whether a definition asks to be reached as an agent of the A2A protocol. */
export function isExposedToA2a(ir: JsonObject): boolean {
  const { expose } = ir;
  return isJsonObject(expose) && expose['a2a'] === true;
}

/** `expose` decides who can reach a workflow, so what cannot be meant is refused, not ignored. */
export function checkExpose(ir: JsonObject, { problems, warnings }: Findings): void {
  const expose = ir['expose'] ?? null;
  if (expose === null) return;
  if (!isJsonObject(expose)) {
    problems.add('/expose', 'must be an object, such as {"a2a": true}');
    return;
  }
  if (typeof (expose['a2a'] ?? false) !== 'boolean') {
    problems.add('/expose/a2a', 'must be true or false');
  }
  for (const key of Object.keys(expose).filter((name) => name !== 'a2a')) {
    warnings.add(pointerTo('expose', key), 'not known: ignored');
  }
}
