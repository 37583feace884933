import { emit, type Turn } from '../turn.ts';

/** Records every node that no live visit or token can reach any more, once. */
export function skipUnreachable(turn: Turn): void {
  const { plan, draft } = turn;
  if (!plan.hasChoice) return;
  const sources = new Set<string>();
  for (const visit of draft.live.values()) sources.add(visit.nodeId);
  for (const arrival of draft.arrivals) sources.add(arrival.to);
  for (const node of plan.nodes.values()) {
    if (!node.reachable || node.bodyOf !== null) continue;
    if (draft.nextVisit.has(node.id) || draft.skipped.has(node.id)) continue;
    if (sources.has(node.id)) continue;
    if (sources.values().some((from) => plan.reaches(from, node.id))) continue;
    emit(turn, { kind: 'NodeSkipped', nodeId: node.id, payload: {} });
  }
}
