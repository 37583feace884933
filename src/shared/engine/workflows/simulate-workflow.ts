import type { JsonObject } from '../../domain/json.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import type { Caller } from '../caller.ts';
import { checkInput } from '../executions/check-input.ts';
import type { Simulation, SimulationRequest } from '../simulation/simulate-run.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { inspectDefinition } from './inspect-definition.ts';
import { refuseDefinition } from './refuse-definition.ts';

/** Runs a definition in memory with samples for its nodes. Refuses what a registration or a start refuses. */
export async function simulateWorkflow(
  deps: UseCaseDeps,
  { tenantId }: Caller,
  params: SimulationRequest & { readonly signal: AbortSignal | null },
): Promise<Simulation> {
  const { input, samples, signal } = params;
  const read = await inspectDefinition(deps, tenantId, params);
  if (!read.ok) throw refuseDefinition(read.problems, read.warnings);
  const caller: CpuCaller = { tenantId, signal, whenBusy: 'refused' };
  await checkInput(deps, { plan: read.plan, input, caller });
  const request: SimulationRequest = { ir: read.ir, input, samples };
  return (await deps.cpu.simulate({ request: asJson(request), caller })) as Simulation;
}

/** A copy without members that are undefined, as JSON has none. */
function asJson(request: SimulationRequest): JsonObject {
  return JSON.parse(JSON.stringify(request)) as JsonObject;
}
