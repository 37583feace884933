import { SvcError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Recaller } from '../../ports/recaller.ts';
import type { NodeOutcome, NodeRunner } from '../run.ts';
import type { MemoryRetrievalSpec } from './spec.ts';

export interface MemoryRetrievalDeps {
  readonly memory: Recaller;
}

/** Recalls as the tenant of the execution; what the endpoint would refuse fails the node. */
export function createMemoryRetrievalRunner(
  deps: MemoryRetrievalDeps,
): NodeRunner<MemoryRetrievalSpec> {
  return {
    async run({ tenantId, input }) {
      const { query, k, agent_id: agentId, end_user_id: endUserId } = input as JsonObject;
      try {
        const recalled = await deps.memory.recall({
          tenantId,
          query: query as string,
          k: k as number | null,
          agentId: agentId as string | null,
          endUserId: endUserId as string | null,
        });
        const facts = recalled.map((fact) => ({
          id: fact.factId,
          content: fact.content,
          agent_id: fact.agentId,
          end_user_id: fact.endUserId,
          similarity: fact.similarity,
          created_at: fact.createdAt,
          metadata: fact.metadata,
        }));
        return { ok: true, output: { facts }, statePatch: {} };
      } catch (error) {
        if (error instanceof SvcError) return toFailure(error);
        throw error;
      }
    },
  };
}

function toFailure(error: SvcError): NodeOutcome {
  const failed = { ok: false, error: error.message } as const;
  switch (error.code) {
    case 'embedding_rate_limited': {
      const seconds = Number(error.headers['Retry-After'] ?? 1);
      return { ...failed, errorClass: 'rate_limited', retryAfterMs: seconds * 1000 };
    }
    case 'embedding_failed':
      return { ...failed, errorClass: 'unreachable' };
    case 'memory_disabled':
    case 'embedding_key_missing':
    case 'embedding_key_invalid':
      return { ...failed, errorClass: 'unauthorized', final: true };
    case 'bad_request':
      return { ...failed, errorClass: 'invalid_input', final: true };
    default:
      return { ...failed, errorClass: 'error' };
  }
}
