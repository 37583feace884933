import type { JsonObject } from '../../json.ts';
import type { KindRegistry } from '../kind-registry.ts';
import type { Plan } from './plan.ts';
import { readWorkflow } from '../parse/read-workflow.ts';

/**
 * Compiles a definition read back from the store. It was accepted once, so a problem now means that
 * the store or the program is broken: throws.
 */
export function compilePlan(ir: JsonObject, kinds: KindRegistry): Plan {
  const read = readWorkflow({ ir, kinds });
  if (read.ok) return read.plan;
  const reasons = read.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
  throw new Error(`stored workflow definition does not compile: ${reasons.join('; ')}`);
}
