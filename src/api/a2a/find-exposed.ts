import { readWorkflow } from '../../shared/engine/workflows/read-workflow.ts';
import type { UseCaseDeps } from '../../shared/engine/use-case-deps.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Reader } from '../../shared/engine/caller.ts';
import {
  isExposedToA2a,
  readExposure,
  type Exposure,
} from '../../shared/domain/workflow/expose.ts';
import type { ExposedWorkflow } from '../../shared/store/store.ts';

/** The workflow behind an agent; the same 404 if it does not exist and if it is not exposed. */
export async function findExposed(
  engine: UseCaseDeps,
  reader: Reader,
  workflowId: string,
): Promise<AgentWorkflow> {
  const definition = await readWorkflow(engine, reader, { workflowId, version: null });
  const { ir, version, createdAt } = definition;
  if (!isExposedToA2a(ir)) throw notFound(`workflow ${workflowId}`);
  return {
    workflowId: definition.workflowId,
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
