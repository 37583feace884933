import { dataPolicyOf } from '../../domain/data-policy/data-policy.ts';
import { redact } from '../../domain/data-policy/redact.ts';
import { isUndo } from '../../domain/execution/fold/fold-undo.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import type { TenantId, WorkItemId } from '../../domain/ids.ts';
import type { Plan } from '../../domain/workflow/plan/plan.ts';
import type { DeadLetter, ExecutionRow } from '../../store/store.ts';
import { foldLoaded } from '../advance/load-execution.ts';
import type { EngineDeps } from '../deps.ts';
import { showUndoing, type ShownUndoing } from './show-undo.ts';

export interface ShownDeadLetter extends DeadLetter {
  /** Its node failed, but the execution continued. */
  readonly handled: boolean;
  /** The visit that it is to undo; null: it undoes none, or was given up. */
  readonly undoes: ShownUndoing | null;
}

/** Dead letters of a list, as the data policies of their workflows let them be seen. */
export async function showDeadLetters(
  deps: EngineDeps,
  letters: readonly DeadLetter[],
  tenantId: TenantId,
): Promise<readonly ShownDeadLetter[]> {
  const byExecution = Map.groupBy(letters, ({ executionId }) => executionId);
  const readings = new Map(
    await Promise.all(
      [...byExecution].map(
        async ([id, own]) => [id, await readAround(deps, own, tenantId)] as const,
      ),
    ),
  );
  return letters.map((letter) => show(deps, letter, readings.get(letter.executionId) ?? UNKNOWN));
}

/** One dead letter whose execution has been read; the values of its undo are whole. */
export async function showDeadLetter(
  deps: EngineDeps,
  letter: DeadLetter,
  of: { readonly plan: Plan; readonly state: ExecutionState; readonly row: ExecutionRow },
): Promise<ShownDeadLetter> {
  const { plan, row } = of;
  const around =
    row.status === 'cancelled'
      ? { plan, ...NOTHING }
      : await lookAround(deps, [letter], { ...of, tenantId: row.tenantId, isWhole: true });
  return show(deps, letter, around);
}

interface Around {
  /** Null: the execution is gone. */
  readonly plan: Plan | null;
  readonly handled: ReadonlySet<WorkItemId>;
  readonly undoes: ReadonlyMap<WorkItemId, ShownUndoing>;
}

const NOTHING = { handled: new Set<WorkItemId>(), undoes: new Map<WorkItemId, ShownUndoing>() };
const UNKNOWN: Around = { plan: null, ...NOTHING };

/** Retention removed the execution after the letters were listed, and the policy is that of its workflow. */
const HIDDEN_ERROR = 'hidden: the execution of this item has been removed, and its data policy too';

function show(
  { pseudonym }: EngineDeps,
  letter: DeadLetter,
  { plan, handled, undoes }: Around,
): ShownDeadLetter {
  const shown = {
    ...letter,
    handled: handled.has(letter.workItemId),
    undoes: undoes.get(letter.workItemId) ?? null,
  };
  if (plan === null) return { ...shown, error: HIDDEN_ERROR };
  const node = plan.nodes.get(letter.nodeId)?.dataPolicy ?? null;
  const policy = dataPolicyOf({ workflow: plan.dataPolicy, node });
  if (policy === null) return shown;
  return { ...shown, error: redact(letter.error, policy, pseudonym) as string };
}

/** The state is folded only where a failure can have been handled, or an item can be an undo. */
async function readAround(
  deps: EngineDeps,
  letters: readonly DeadLetter[],
  tenantId: TenantId,
): Promise<Around> {
  const id = letters[0]?.executionId;
  const row = id === undefined ? null : await deps.store.executions.find(id, tenantId);
  if (row === null) return UNKNOWN;
  const { plan } = await deps.definitions.get(row.definitionId);
  const mayMatter = plan.undos.size > 0 || letters.some(({ nodeId }) => mayBeHandled(plan, nodeId));
  // A cancel ends what was still waited for, and no failure has led on from there.
  if (!mayMatter || row.status === 'cancelled') return { plan, ...NOTHING };
  const loaded = await deps.store.executions.load(row.executionId, tenantId);
  if (loaded === null) return { plan, ...NOTHING };
  const state = foldLoaded(loaded, plan);
  return lookAround(deps, letters, { plan, state, tenantId, isWhole: false });
}

async function lookAround(
  deps: EngineDeps,
  letters: readonly DeadLetter[],
  of: {
    readonly plan: Plan;
    readonly state: ExecutionState;
    readonly tenantId: TenantId;
    readonly isWhole: boolean;
  },
): Promise<Around> {
  const { plan, state, tenantId, isWhole } = of;
  const { live, fatal } = state;
  const awaited = new Set([...live.values()].map(({ workItemId }) => workItemId));
  const handled = letters.filter(({ nodeId, workItemId }) => {
    const endsIt = fatal !== null && [nodeId, mapOf(plan, nodeId)].includes(fatal.nodeId);
    return mayBeHandled(plan, nodeId) && !endsIt && !awaited.has(workItemId);
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
