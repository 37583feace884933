import type { DefinitionId } from '../../domain/ids.ts';
import type { EngineDeps } from '../deps.ts';
import { redactError } from './redact-view.ts';

/** A message as data policies let it be seen, for readers outside the API. */
export async function showError(
  deps: EngineDeps,
  params: {
    readonly definitionId: DefinitionId;
    /** Null: the error is the execution's own, and may speak of any node. */
    readonly nodeId: string | null;
    readonly error: string;
  },
): Promise<string> {
  const { definitionId, nodeId, error } = params;
  const { plan } = await deps.definitions.get(definitionId);
  return redactError(error, { plan, nodeId, pseudonym: deps.pseudonym });
}
