import { notFound } from '../../shared/domain/errors.ts';
import type { TenantId } from '../../shared/domain/ids.ts';
import { isExposedToA2a } from '../../shared/domain/workflow/expose.ts';
import type { Engine } from '../../shared/engine/engine.ts';
import type { ExposedWorkflow } from '../../shared/store/store.ts';

/** The workflow behind an agent; 404 when it is not there, and just so when it is not exposed. */
export async function findExposed(
  engine: Engine,
  params: { readonly tenantId: TenantId; readonly workflowId: string },
): Promise<ExposedWorkflow> {
  const { ir, version, workflowId } = await engine.readWorkflow({ ...params, version: null });
  if (!isExposedToA2a(ir)) throw notFound(`workflow ${params.workflowId}`);
  return { workflowId, version, name: textOf(ir['name']), description: textOf(ir['description']) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
