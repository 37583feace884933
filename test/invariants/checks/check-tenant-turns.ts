import { violations, type Violation } from '../violation.ts';

/** A claim of a scheduler on the queue of the engine: what it could take, and what it took. */
export interface SeenEngineClaim {
  /** Each life of a process has a number of its own. */
  readonly process: number;
  /** How many items it had room for. */
  readonly limit: number;
  /** How many items the process has of each tenant, if tenants take turns; null: it goes by priority and age. */
  readonly held: ReadonlyMap<string, number> | null;
  readonly waiting: readonly WaitingCall[];
  /** Ids of items, in the order in which they were taken. */
  readonly taken: readonly string[];
}

export interface WaitingCall {
  readonly work_item_id: string;
  readonly tenant_id: string;
  readonly priority: number;
  /** The lowest is the oldest. */
  readonly seq: number;
}

/** An item that a claim took, and what was left then. */
interface Pick {
  readonly claim: SeenEngineClaim;
  readonly item: WaitingCall;
  readonly others: readonly WaitingCall[];
  /** How many items the process has of a tenant, those of this claim included. */
  readonly countOf: (tenantId: string) => number;
}

/**
 * Tenants take turns when calls of the engine wait for room. How many calls a process has, it alone
 * knows: leases that have lapsed or are about to end are in the tables, too.
 */
export function checkTenantTurns(claims: readonly SeenEngineClaim[] = []): Violation[] {
  const picks = claims.flatMap(picksOf);
  return [
    ...checkTurnsTaken(claims),
    ...violations(
      'a place goes to a tenant with the fewest calls in the process',
      picks,
      (pick) => {
        const { claim, item, others, countOf } = pick;
        if (claim.held === null) return null;
        const count = countOf(item.tenant_id);
        const passed = others.find(({ tenant_id: other }) => countOf(other) < count);
        const saw = `beside ${count} of its tenant, it came before`;
        return passed === undefined ? null : told(pick, passed, saw);
      },
    ),
    ...violations('a tenant gets its calls by priority and age', picks, (pick) => {
      const passed = pick.others.find((other) => goesBefore(other, pick.item));
      return passed === undefined ? null : told(pick, passed, 'it came before');
    }),
  ];
}

function checkTurnsTaken(claims: readonly SeenEngineClaim[]): Violation[] {
  const lastOf = new Map<number, SeenEngineClaim>();
  const pairs = claims.map((claim) => {
    const before = lastOf.get(claim.process);
    lastOf.set(claim.process, claim);
    return { claim, before };
  });
  return violations('tenants take turns while calls may be left', pairs, ({ claim, before }) => {
    const isAllTaken = before !== undefined && before.taken.length < before.limit;
    if (claim.held !== null || isAllTaken) return null;
    const { process } = claim;
    return { about: { process }, saw: `by age, after ${before?.limit ?? 'no claim'}` };
  });
}

function picksOf(claim: SeenEngineClaim): readonly Pick[] {
  const rest = new Map(claim.waiting.map((item) => [item.work_item_id, item]));
  const taken = claim.taken.flatMap((id) => rest.get(id) ?? []);
  return taken.map((item, index) => {
    rest.delete(item.work_item_id);
    const before = taken.slice(0, index);
    return {
      claim,
      item,
      others: [...rest.values()],
      countOf: (tenantId) =>
        (claim.held?.get(tenantId) ?? 0) +
        before.filter(({ tenant_id: other }) => other === tenantId).length,
    };
  });
}

function goesBefore(one: WaitingCall, other: WaitingCall): boolean {
  if (one.tenant_id !== other.tenant_id) return false;
  return one.priority < other.priority || (one.priority === other.priority && one.seq < other.seq);
}

function told({ claim, item }: Pick, passed: WaitingCall, saw: string) {
  return {
    about: { process: claim.process, work_item: item.work_item_id, tenant: item.tenant_id },
    saw: `${saw} ${passed.work_item_id} of ${passed.tenant_id}`,
  };
}
