import { badRequest } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { tellViolations } from '../../domain/tell-violations.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import type { EngineDeps } from '../deps.ts';

/** Throws where the workflow refuses this input. */
export async function checkInput(
  deps: Pick<EngineDeps, 'cpu'>,
  params: {
    readonly plan: Pick<Plan, 'stateSchema'>;
    readonly input: JsonObject;
    readonly caller: CpuCaller;
  },
): Promise<void> {
  const { plan, input, caller } = params;
  if (plan.stateSchema === null) return;
  const schema = plan.stateSchema;
  const violations = await deps.cpu.validateSchema({ schema, value: input, caller });
  if (violations.length === 0) return;
  const told = tellViolations(violations, 'request');
  throw badRequest(`input does not satisfy the state schema: ${told.join('; ')}`, {
    violations: told,
  });
}
