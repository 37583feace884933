import type { PlanNode } from '../../workflow/plan/plan.ts';
import type { NodeScheduledPayload, VisitPhase } from '../event-payloads.ts';
import { emit, type Turn } from '../turn.ts';

/** A visit that begins in this decision. */
export interface NewVisit {
  readonly turn: Turn;
  readonly node: PlanNode;
  readonly visit: number;
  /** The nodes that led here; for an item also its place in its map. */
  readonly origin: Pick<NodeScheduledPayload, 'from' | 'map' | 'continues' | 'undoes'>;
}

export function scheduleVisit(
  { turn, node, visit, origin }: NewVisit,
  phase: VisitPhase,
  more: Partial<NodeScheduledPayload> = {},
): void {
  const undo = turn.plan.undos.get(node.id);
  emit(turn, {
    kind: 'NodeScheduled',
    nodeId: node.id,
    payload: {
      visit,
      node_kind: node.kind.type,
      phase,
      ...origin,
      ...(node.outputKey !== null && { output_key: node.outputKey }),
      ...(undo !== undefined && { undo: undo.nodeId }),
      ...more,
    },
  });
}
