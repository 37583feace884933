import { beginLaggingReads } from '../shared/store/readings/lagging-reads.ts';
import type { ApiContext } from './context.ts';
import type { EndpointDeps } from './deps.ts';
import type { Answer, ApiRequest, Endpoint } from './endpoint.ts';

/** How far an answer may be behind; absent: the primary has answered. */
export const STALENESS_HEADER = 'X-Svc-Read-Staleness-Ms';

/** The standard way to ask for an answer that is not stale (RFC 9111, section 5.2.1.4). */
export function mayAnswerLag(ctx: ApiContext): boolean {
  return !/\bno-cache\b/i.test(ctx.get('Cache-Control'));
}

/** Answers a list, from a replica if there is one that is near enough. */
export async function handleLagging(
  endpoint: Endpoint,
  request: ApiRequest<unknown, unknown, unknown>,
  deps: EndpointDeps,
): Promise<Answer> {
  const reads = beginLaggingReads();
  try {
    const answer = await reads.run(() => endpoint.handle(request, deps));
    const { stalenessMs } = reads;
    if (stalenessMs === null) return answer;
    const told = { [STALENESS_HEADER]: String(Math.ceil(stalenessMs)) };
    return { ...answer, headers: { ...answer.headers, ...told } };
  } finally {
    reads.end();
  }
}
