import type { Engine } from '../../shared/engine/create-engine.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { TenantId } from '../../shared/domain/ids.ts';
import {
  isExposedToA2a,
  readExposure,
  type Exposure,
} from '../../shared/domain/workflow/expose.ts';
import type { ExposedWorkflow } from '../../shared/store/store.ts';

/** The workflow behind an agent; 404 when it is not there, and just so when it is not exposed. */
export async function findExposed(
  engine: Engine,
  params: { readonly tenantId: TenantId; readonly workflowId: string },
): Promise<AgentWorkflow> {
  const definition = await engine.readWorkflow({ ...params, version: null });
  const { ir, version, workflowId, createdAt } = definition;
  if (!isExposedToA2a(ir)) throw notFound(`workflow ${params.workflowId}`);
  return {
    workflowId,
    version,
    name: textOf(ir['name']),
    description: textOf(ir['description']),
    registeredAt: createdAt,
    ...readExposure(ir),
  };
}

export interface AgentWorkflow extends ExposedWorkflow, Exposure {
  /** ISO instant: since when its card reads like this. */
  readonly registeredAt: string;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
