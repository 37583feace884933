import type { Draft } from '../draft.ts';
import { type LiveVisit, visitKey } from '../state.ts';

/**
 * The numbers under which a retry begins visits again, by the `visitKey` of the live visit. A visit
 * keeps its number, so that its calls keep their idempotency keys. One that was rolled back, or that
 * continued as new without a successor, takes the next free number of its node.
 */
export function visitsAgain(
  draft: Draft,
  {
    restarted,
    undone,
  }: { readonly restarted: readonly LiveVisit[]; readonly undone: ReadonlySet<string> },
): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { nodeId, visit, signal } of restarted) {
    const key = visitKey(nodeId, visit);
    const isNew = signal?.is === 'continue' || undone.has(key);
    numbers.set(key, isNew ? takeNumber(draft, nodeId) : visit);
  }
  return numbers;
}

export function takeNumber({ nextVisit }: Draft, nodeId: string): number {
  const visit = nextVisit.get(nodeId) ?? 0;
  nextVisit.set(nodeId, visit + 1);
  return visit;
}

/**
 * The next number of each node, for the execution that retries. A node that begins its last visit
 * again, and no other, counts from that one, as executions of earlier versions do.
 */
export function nextVisits(
  { nextVisit }: Draft,
  of: {
    readonly restarted: readonly LiveVisit[];
    readonly numbers: ReadonlyMap<string, number>;
  },
): Readonly<Record<string, number>> {
  const byNode = Map.groupBy(of.restarted, ({ nodeId }) => nodeId);
  const next = [...nextVisit].map(([nodeId, number]): [string, number] => {
    const [only, ...others] = byNode.get(nodeId) ?? [];
    if (only === undefined || others.length > 0) return [nodeId, number];
    const again = of.numbers.get(visitKey(nodeId, only.visit));
    return [nodeId, again === number - 1 ? again : number];
  });
  return Object.fromEntries(next);
}
