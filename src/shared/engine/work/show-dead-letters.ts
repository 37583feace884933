import { dataPolicyOf } from '../../domain/data-policy/data-policy.ts';
import { redact } from '../../domain/data-policy/redact.ts';
import { isUndo } from '../../domain/execution/fold/fold-undo.ts';
import type { TenantId, WorkItemId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { DeadLetter } from '../../store/store.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import type { EngineDeps } from '../deps.ts';
import { showUndoing, type ShownUndoing } from './show-undo.ts';

export interface ShownDeadLetter extends DeadLetter {
  /** Its node failed, but the execution continued. */
  readonly handled: boolean;
  /** The visit that it is to undo; null: it undoes none, or was given up. */
  readonly undoes: ShownUndoing | null;
}

interface Showing {
  readonly tenantId: TenantId;
  /** Values of undos are whole; absent: those that are too large for a list are left out. */
  readonly isWhole?: true;
}

/** Dead letters as the data policies of their workflows let them be seen. */
export async function showDeadLetters(
  deps: EngineDeps,
  letters: readonly DeadLetter[],
  showing: Showing,
): Promise<readonly ShownDeadLetter[]> {
  const byExecution = Map.groupBy(letters, ({ executionId }) => executionId);
  const readings = new Map(
    await Promise.all(
      [...byExecution].map(
        async ([id, own]) => [id, await readAround(deps, own, showing)] as const,
      ),
    ),
  );
  return letters.map((letter) => {
    const { plan = null, handled, undoes } = readings.get(letter.executionId) ?? {};
    const shown = {
      ...letter,
      handled: handled?.has(letter.workItemId) === true,
      undoes: undoes?.get(letter.workItemId) ?? null,
    };
    const node = plan?.nodes.get(letter.nodeId)?.dataPolicy ?? null;
    const policy = plan && dataPolicyOf({ workflow: plan.dataPolicy, node });
    if (policy === null) return shown;
    return { ...shown, error: redact(letter.error, policy, deps.pseudonym) as string };
  });
}

interface Around {
  readonly plan: Plan | null;
  readonly handled: ReadonlySet<WorkItemId>;
  readonly undoes: ReadonlyMap<WorkItemId, ShownUndoing>;
}

const NOTHING = { handled: new Set<WorkItemId>(), undoes: new Map<WorkItemId, ShownUndoing>() };

/** The state is folded only where a failure can have been handled, or an item can be an undo. */
async function readAround(
  deps: EngineDeps,
  letters: readonly DeadLetter[],
  { tenantId, isWhole = false }: { readonly tenantId: TenantId; readonly isWhole?: boolean },
): Promise<Around> {
  const id = letters[0]?.executionId;
  const row = id === undefined ? null : await deps.store.executions.find(id, tenantId);
  if (row === null) return { plan: null, ...NOTHING };
  const { plan } = await deps.definitions.get(row.definitionId);
  const candidates = letters.filter(({ nodeId }) => mayBeHandled(plan, nodeId));
  // A cancel ends what was still waited for, and no failure has led on from there.
  if ((candidates.length === 0 && plan.undos.size === 0) || row.status === 'cancelled') {
    return { plan, ...NOTHING };
  }
  const loaded = await deps.store.executions.load(row.executionId, tenantId);
  if (loaded === null) return { plan, ...NOTHING };
  const { live, fatal } = foldLoaded(loaded, plan);
  const awaited = new Set([...live.values()].map(({ workItemId }) => workItemId));
  const handled = candidates.filter(({ nodeId, workItemId }) => {
    const endsIt = fatal !== null && [nodeId, mapOf(plan, nodeId)].includes(fatal.nodeId);
    return !endsIt && !awaited.has(workItemId);
  });
  const listed = new Set(letters.map(({ workItemId }) => workItemId));
  const undoes = new Map<WorkItemId, ShownUndoing>();
  for (const visit of live.values()) {
    if (!isUndo(visit) || visit.workItemId === null || !listed.has(visit.workItemId)) continue;
    undoes.set(visit.workItemId, await showUndoing(deps, { tenantId, plan, visit, isWhole }));
  }
  return {
    plan,
    handled: new Set(handled.map(({ workItemId }) => workItemId)),
    undoes,
  };
}

/** By an edge for failures, or by the map whose item it was. */
function mayBeHandled(plan: Plan, nodeId: string): boolean {
  const edges = plan.nodes.get(nodeId)?.edges ?? [];
  return edges.some(({ on }) => on === 'failure') || mapOf(plan, nodeId) !== null;
}

function mapOf(plan: Plan, nodeId: string): string | null {
  return plan.nodes.get(nodeId)?.bodyOf ?? null;
}
