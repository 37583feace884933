import type { Recaller } from '../../ports/recaller.ts';
import type { MemoryDeps } from './deps.ts';
import { recallFacts } from './recall-facts.ts';

/** Memory, as nodes see it. */
export function createRecaller(deps: MemoryDeps): Recaller {
  return { recall: ({ tenantId, ...params }) => recallFacts(deps, { tenantId }, params) };
}
