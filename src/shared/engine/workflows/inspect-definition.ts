import type { TenantId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import { secretsNamed } from '../../domain/tools/secrets-named.ts';
import { inspectWorkflow } from '../../domain/workflow/inspect-workflow.ts';
import type { ReadWorkflow } from '../../domain/workflow/parse/read-workflow.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import { pointerTo, type Problem, type Warning } from '../../domain/workflow/problem.ts';
import type { Cpu, CpuCaller } from '../../ports/cpu.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';

export type InspectedDefinition =
  | Extract<ReadWorkflow, { ok: true }>
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      readonly warnings: readonly Warning[];
    };

/** Reads a definition as a registration does: its schemas and secrets are checked too. Stores nothing. */
export async function inspectDefinition(
  deps: UseCaseDeps,
  tenantId: TenantId,
  params: { readonly ir: JsonValue; readonly signal: AbortSignal | null },
): Promise<InspectedDefinition> {
  const read = inspectWorkflow({ ir: params.ir, kinds: deps.kinds });
  if (!read.ok) return read;
  const { signal } = params;
  const caller: CpuCaller = { tenantId, signal, whenBusy: 'refused' };
  const problems = await schemaFaults(deps.cpu, read.plan, caller);
  if (problems.length > 0) return { ok: false, problems, warnings: read.warnings };
  return { ...read, warnings: [...read.warnings, ...warnOfSecrets(deps, read.plan, tenantId)] };
}

/** Told at once what would fail at the first call; the scheduler's own configuration decides then. */
function warnOfSecrets(
  { secretRules }: UseCaseDeps,
  { parts }: Plan,
  tenantId: TenantId,
): readonly Warning[] {
  if (secretRules === undefined) return [];
  return secretsNamed(parts).flatMap(({ name, pointer }) => {
    const message = secretRules.refuse({ name, tenantId });
    return message === null ? [] : [{ code: 'secret_not_available' as const, pointer, message }];
  });
}

/** Schemas are compiled on the worker-thread pool, so they are checked after all the rest. */
async function schemaFaults(cpu: Cpu, plan: Plan, caller: CpuCaller): Promise<readonly Problem[]> {
  const schemas = [
    { pointer: '/state_schema', schema: plan.stateSchema },
    ...plan.parts.tools.values().flatMap(({ pointer, inputSchema, outputSchema }) => [
      { pointer: `${pointer}/input_schema`, schema: inputSchema },
      { pointer: `${pointer}/output_schema`, schema: outputSchema },
    ]),
    ...plan.nodes.values().map((node) => ({
      pointer: pointerTo('nodes', node.id, 'kind', 'output_schema'),
      schema: node.kind.outputSchema?.(node.spec) ?? null,
    })),
  ];
  const faults: Problem[] = [];
  for (const { pointer, schema } of schemas) {
    if (schema === null) continue;
    for (const message of await cpu.checkSchema({ schema, caller })) {
      faults.push({ pointer, message: `is no valid JSON Schema: ${message}` });
    }
  }
  return faults;
}
