import { notFound } from '../../domain/errors.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { CompiledDefinition } from '../advance/definition-cache.ts';
import type { EngineDeps } from '../deps.ts';

/** The definition of the workflow that was registered last; throws a 404. */
export async function findLatest(
  deps: EngineDeps,
  { tenantId, workflowId }: ExecutionRow,
): Promise<CompiledDefinition> {
  const found = await deps.definitions.latest({ tenantId, workflowId, version: null });
  if (found === null) throw notFound(`workflow ${workflowId}`);
  return found;
}
