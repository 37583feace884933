import type { JsonValue } from '../../domain/json.ts';
import type { Caller } from '../caller.ts';
import { limitExceeded } from '../../domain/errors.ts';
import type { DefinitionId } from '../../domain/ids.ts';
import { waitLimitsOf } from '../../domain/workflow/flow/limits-in-force.ts';
import type { Warning } from '../../domain/workflow/problem.ts';
import { holdReferences } from '../artifacts/hold-references.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { PLACES_TOPIC } from '../wake/wake-bus.ts';
import { inspectDefinition } from './inspect-definition.ts';
import { refuseDefinition } from './refuse-definition.ts';

export interface RegisterWorkflow {
  readonly ir: JsonValue;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** Whether warnings refuse it. */
  readonly isStrict?: boolean;
}

export interface RegisteredWorkflow {
  readonly workflowId: string;
  readonly version: string;
  readonly revision: number;
  readonly irHash: string;
  readonly warnings: readonly Warning[];
}

/** Stores a workflow as the newest revision of its id and version; the same IR again is a no-op. */
export async function registerWorkflow(
  deps: UseCaseDeps,
  { tenantId, actorId }: Caller,
  params: RegisterWorkflow,
): Promise<RegisteredWorkflow> {
  const { ir, signal = null } = params;
  const read = await inspectDefinition(deps, tenantId, { ir, signal });
  if (!read.ok) throw refuseDefinition(read.problems, read.warnings);
  const { warnings } = read;
  if (params.isStrict && warnings.length > 0) throw refuseDefinition(warnings, []);
  await holdReferences(deps.store.artifacts, {
    tenantId,
    json: JSON.stringify(read.ir),
    values: [read.ir],
    what: null,
  });
  const { max_workflows: max } = (await deps.tenants.get(tenantId)).limits;
  const row = await deps.store.definitions.register({
    definitionId: deps.ids.uuid() as DefinitionId,
    tenantId,
    workflowId: read.plan.workflowId,
    version: read.plan.version,
    irHash: read.irHash,
    ir: read.ir,
    actorId,
    workflowsMax: max ?? null,
    waitLimits: waitLimitsOf(read.plan),
  });
  if (row === null) throw noRoom(max ?? 0);
  // A higher limit, or none, lets executions begin that wait.
  deps.wake.notify([PLACES_TOPIC]);
  return {
    workflowId: row.workflowId,
    version: row.version,
    revision: row.revision,
    irHash: row.irHash,
    warnings,
  };
}

/** Workflows are never removed, so there is no use in coming again soon. */
const RETRY_AFTER_SECONDS = 60;

function noRoom(max: number): Error {
  return limitExceeded({
    limit: 'max_workflows',
    max,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    detail: `the tenant has ${max} workflows, which is all it may; versions of these may be registered`,
  });
}
