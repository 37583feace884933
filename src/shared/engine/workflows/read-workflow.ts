import { notFound } from '../../domain/errors.ts';
import type { DefinitionId } from '../../domain/ids.ts';
import type { DefinitionRow, ExposedWorkflow, StoredDefinition } from '../../store/store.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';

export function listWorkflows(
  { store }: EngineDeps,
  { tenantId }: Reader,
  params: {
    readonly workflowId: string | null;
    readonly after: DefinitionId | null;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<readonly DefinitionRow[]> {
  return store.definitions.list({ ...params, tenantId });
}

/** The newest revision; 404 when there is none. */
export async function readWorkflow(
  { store }: EngineDeps,
  { tenantId }: Reader,
  params: { readonly workflowId: string; readonly version: string | null },
): Promise<StoredDefinition> {
  const found = await store.definitions.findLatest({ ...params, tenantId });
  if (found === null) throw notFound(`workflow ${params.workflowId}`);
  return found;
}

/** The last registered revision of each workflow that asks to be reached as an agent of A2A. */
export function listExposedWorkflows(
  { store }: EngineDeps,
  { tenantId }: Reader,
  { limit }: { readonly limit: number },
): Promise<readonly ExposedWorkflow[]> {
  return store.definitions.listExposed({ tenantId, limit });
}
