import type { PlanNode } from '../../workflow/plan/plan.ts';
import { enterOnBudget, planNode, type Turn } from '../turn.ts';
import { enterNode } from './enter-node.ts';

/**
 * Starts the first node whose tokens are complete. A node with several in-edges starts once at
 * least one was taken and nothing else that is live can still reach it: AND after a split, XOR
 * after a choice, and loops just work. A `join` with `wait_for` waits for exactly those.
 *
 * Two waiting nodes on one cycle may each be reachable from the other. When nothing that is live can
 * reach them, the token that arrived first decides, so that an execution never gets stuck.
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
  // Most nodes wait for nothing but the one token.
  if (first !== undefined && startsAlone(planNode(turn, first.to))) return first.to;
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

/** Items of maps lead nowhere: their map does. */
function liveNodes({ draft }: Turn): ReadonlySet<string> {
  const nodes = new Set<string>();
  for (const visit of draft.live.values()) if (visit.item === null) nodes.add(visit.nodeId);
  return nodes;
}

/** Whether none of `nodes`, itself apart, can lead there any more. */
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
