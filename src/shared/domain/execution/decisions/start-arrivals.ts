import type { PlanNode } from '../../workflow/plan/plan.ts';
import { enterOnBudget, planNode, type Turn } from '../turn.ts';
import { enterNode } from './enter-node.ts';

/**
 * Starts the first node whose tokens are complete. A node with several in-edges starts once at
 * least one was taken and nothing else that is live can still reach it. That gives AND after a
 * split and XOR after a choice, and it allows loops. A `join` with `wait_for` waits for exactly
 * those nodes.
 *
 * A visit that a retry begins again had started before, so it waits for nothing.
 *
 * Two waiting nodes on one cycle may each be reachable from the other. When nothing live can reach
 * them, the node of the oldest token starts, so that an execution never gets stuck.
 */
export function startArrivals(turn: Turn): boolean {
  const { draft } = turn;
  if (draft.arrivals.length === 0) return false;
  const chosen = chooseNode(turn);
  if (chosen === undefined) return false;
  enterOnBudget(turn, () => enterNode(turn, planNode(turn, chosen)));
  return true;
}

function chooseNode(turn: Turn): string | undefined {
  const [first] = turn.draft.arrivals;
  // Most nodes wait for a single token.
  const isAgain = first?.visit !== undefined;
  if (first !== undefined && (isAgain || startsAlone(planNode(turn, first.to)))) return first.to;
  const waiting = [...new Set(turn.draft.arrivals.map((arrival) => arrival.to))];
  const live = liveNodes(turn);
  const all = new Set([...waiting, ...live]);
  return (
    waiting.find((id) => mayStart(turn, planNode(turn, id), all)) ??
    waiting.find((id) => mayStart(turn, planNode(turn, id), live))
  );
}

function startsAlone(node: PlanNode): boolean {
  return node.predecessors.length <= 1 && node.waitFor === null;
}

/** Items of maps have no out-edges; their map has. */
function liveNodes({ draft }: Turn): ReadonlySet<string> {
  const nodes = new Set<string>();
  for (const visit of draft.live.values()) if (visit.item === null) nodes.add(visit.nodeId);
  return nodes;
}

/** Whether none of the other `nodes` can reach it any more. */
function mayStart(turn: Turn, node: PlanNode, nodes: ReadonlySet<string>): boolean {
  const { draft, plan } = turn;
  if (startsAlone(node)) return true;
  const canLead = (holds: (from: string) => boolean): boolean =>
    nodes.values().some((from) => from !== node.id && holds(from));
  if (node.waitFor === null) return !canLead((from) => plan.reaches(from, node.id));
  const arrived = new Set(
    draft.arrivals.filter(({ to }) => to === node.id).map(({ from }) => from),
  );
  return node.waitFor.every(
    (awaited) =>
      arrived.has(awaited) || !canLead((from) => from === awaited || plan.reaches(from, awaited)),
  );
}
