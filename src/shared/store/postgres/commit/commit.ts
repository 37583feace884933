import { executionIdFromUuid, type TenantId } from '../../../domain/ids.ts';
import type { CommitPlan, CommitVerdict, ExistingRequest, RefusalReason } from '../../commit.ts';
import { StoreUnavailableError } from '../../unavailable.ts';
import { encodeColumns, judgedBatch } from './batch.ts';
import { commitUnjudged, needsNoJudgement } from './optimistic/commit.ts';
import { judgingStatement } from './sql.ts';
import { unservedIn } from './unserved.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

/**
 * Sends one statement for the whole batch, and a second one if the optimistic statement was
 * refused; see `commit/optimistic/commit.ts` and `commit/sql.ts`. An error about the data of one
 * plan fails the whole batch, which then writes nothing; validated plans never cause one.
 */
export async function commitPlans(
  pool: PostgresPool,
  plans: readonly CommitPlan[],
): Promise<readonly CommitVerdict[]> {
  if (plans.length === 0) return [];
  if (plans.every(needsNoJudgement)) {
    const verdicts = await commitUnjudged(pool, plans);
    if (verdicts !== null) return verdicts;
  }
  const latecomers = findRepeatedRequests(plans);
  const verdicts = await commitJudged(
    pool,
    plans.filter((plan) => !latecomers.has(plan)),
  );
  for (const [plan, existing] of await readRequests(pool, [...latecomers.keys()])) {
    verdicts.set(plan, duplicateOf(existing));
  }
  for (const [plan, holder] of latecomers) {
    const verdict = verdicts.get(holder);
    // A limit of the tenant that refuses a plan refuses every later one.
    if (verdicts.has(plan) || !isLimited(verdict) || verdict.reason === 'places_taken') continue;
    verdicts.set(plan, verdict);
  }
  await judgeAgain(pool, { plans, verdicts });
  return plans.map((plan) => {
    const verdict = verdicts.get(plan);
    if (verdict === undefined) throw new Error(`no verdict on the plan of ${plan.executionId}`);
    return verdict;
  });
}

/** No two of the plans have the same Idempotency-Key. */
async function commitJudged(
  pool: PostgresPool,
  sent: readonly CommitPlan[],
): Promise<Map<CommitPlan, CommitVerdict>> {
  const batch = judgedBatch(sent);
  const { name, text, columns } = judgingStatement(batch.has);
  const rows = await pool.run<VerdictRecord>(
    { name, text, writes: true },
    encodeColumns(columns, batch),
  );
  const verdicts = new Map<CommitPlan, CommitVerdict>();
  const repeated: CommitPlan[] = [];
  const limited: CommitPlan[] = [];
  for (const row of rows) {
    const plan = sent[row.position];
    if (plan === undefined) throw new Error(`verdict on plan ${row.position}, which was not sent`);
    const verdict = decodeVerdict(plan, row);
    if (verdict === 'duplicate_request') repeated.push(plan);
    else verdicts.set(plan, verdict);
    if (isLimited(verdict) && isRepeatable(plan)) limited.push(plan);
  }
  // A repeated start takes no place below the limit: it gets the first answer.
  for (const [plan, existing] of await readRequests(pool, limited)) {
    verdicts.set(plan, duplicateOf(existing));
  }
  for (const [plan, existing] of await findExistingRequests(pool, repeated)) {
    verdicts.set(plan, duplicateOf(existing));
  }
  return verdicts;
}

/**
 * Every new execution of a batch counts toward the limits of those after it, even if it is refused for
 * another reason and takes no place. The plans that such a neighbour kept from their place are judged
 * again without it, and so are the plans whose key nobody took.
 */
async function judgeAgain(
  pool: PostgresPool,
  of: {
    readonly plans: readonly CommitPlan[];
    readonly verdicts: Map<CommitPlan, CommitVerdict>;
  },
): Promise<void> {
  const { plans, verdicts } = of;
  const tenants = new Set<TenantId>();
  /** Those of plans without a place of their key, which nothing of the batch takes from them. */
  const placeless = new Set<TenantId>();
  for (const [{ create, tenantId }, verdict] of verdicts) {
    if (create === null || verdict.accepted) continue;
    const { limits, takesPlace } = create;
    if (verdict.reason === 'places_taken') {
      if (limits !== null) placeless.add(tenantId);
    } else if (!isLimited(verdict) && (limits !== null || takesPlace !== undefined)) {
      tenants.add(tenantId);
    }
  }
  const again = plans.filter((plan) => {
    const verdict = verdicts.get(plan);
    if (verdict === undefined) return true;
    if (!isLimited(verdict)) return false;
    if (tenants.has(plan.tenantId)) return true;
    return verdict.reason !== 'places_taken' && placeless.has(plan.tenantId);
  });
  if (again.length === 0) return;
  const judged = await commitPlans(pool, again).catch((error: unknown) => {
    throw ambiguous('the rest of a batch could not be committed', error);
  });
  again.forEach((plan, index) => {
    const verdict = judged[index];
    if (verdict !== undefined) verdicts.set(plan, verdict);
  });
}

function duplicateOf(existing: ExistingRequest): CommitVerdict {
  return { accepted: false, reason: 'duplicate_request', existing };
}

interface VerdictRecord {
  readonly position: number;
  readonly accepted: boolean;
  readonly reason: RefusalReason | null;
  readonly last_sequence: number | null;
  readonly stamp: string | null;
  readonly fences: readonly number[];
  readonly granted?: boolean;
  /** JSON: see `unservedTenants`. */
  readonly unserved?: string | null;
}

/** Plans with an Idempotency-Key that an earlier plan of the batch has too, with that plan. */
function findRepeatedRequests(plans: readonly CommitPlan[]): ReadonlyMap<CommitPlan, CommitPlan> {
  const holders = new Map<string, CommitPlan>();
  const repeated = new Map<CommitPlan, CommitPlan>();
  for (const plan of plans) {
    const request = plan.create?.request ?? null;
    if (request === null) continue;
    const key = JSON.stringify([plan.tenantId, request.key]);
    const holder = holders.get(key);
    if (holder === undefined) holders.set(key, plan);
    else repeated.set(plan, holder);
  }
  return repeated;
}

function decodeVerdict(plan: CommitPlan, row: VerdictRecord): CommitVerdict | 'duplicate_request' {
  if (row.accepted && row.last_sequence !== null && row.stamp !== null) {
    return {
      accepted: true,
      lastSequence: row.last_sequence,
      createdAt: row.stamp,
      fences: row.fences,
      ...unservedIn(row.unserved ?? null)(plan),
    };
  }
  if (row.reason !== null) return { accepted: false, reason: row.reason, existing: null };
  // A new execution that was not written: its key was taken, or a concurrent commit made it.
  if (row.granted === false) return 'duplicate_request';
  return { accepted: false, reason: 'exists', existing: null };
}

const LIMITS: ReadonlySet<RefusalReason> = new Set([
  'executions_limited',
  'queue_limited',
  'places_taken',
]);

function isLimited(
  verdict: CommitVerdict | 'duplicate_request' | undefined,
): verdict is Extract<CommitVerdict, { readonly accepted: false }> {
  if (verdict === undefined || verdict === 'duplicate_request' || verdict.accepted) return false;
  return LIMITS.has(verdict.reason);
}

/** It has a key under which it may have been committed before. */
function isRepeatable(plan: CommitPlan): boolean {
  return (plan.create?.request ?? null) !== null;
}

const FIND_REQUESTS: Statement = {
  name: 'find-requests',
  writes: false,
  text: `
    select r.position, k.execution_id, k.body_hash
    from unnest($1::int4[], $2::text[], $3::text[]) as r (position, tenant_id, key)
    cross join lateral (
      select q.execution_id, q.body_hash
      from request_keys q
      where q.tenant_id = r.tenant_id
        and q.key = r.key
        and q.created_at > clock_timestamp() - interval '24 hours'
      limit 1
    ) k`,
};

/**
 * The earlier users of these keys. It is a separate statement, because the commit's snapshot misses
 * a key that was taken while the commit waited for it. The rest of the batch is already committed,
 * so a failure here leaves the outcome unknown to the callers.
 */
async function findExistingRequests(
  pool: PostgresPool,
  plans: readonly CommitPlan[],
): Promise<ReadonlyMap<CommitPlan, ExistingRequest>> {
  const found = await readRequests(pool, plans);
  if (found.size < plans.length) {
    throw ambiguous('an Idempotency-Key expired while it was looked up', undefined);
  }
  return found;
}

async function readRequests(
  pool: PostgresPool,
  plans: readonly CommitPlan[],
): Promise<ReadonlyMap<CommitPlan, ExistingRequest>> {
  if (plans.length === 0) return new Map();
  const tenants: TenantId[] = plans.map((plan) => plan.tenantId);
  const keys = plans.map((plan) => plan.create?.request?.key);
  const rows = await pool
    .run<{ readonly position: number; readonly execution_id: string; readonly body_hash: string }>(
      FIND_REQUESTS,
      [plans.map((_, position) => position), tenants, keys],
    )
    .catch((error: unknown) => {
      throw ambiguous('the earlier use of an Idempotency-Key could not be read', error);
    });
  const found = new Map<CommitPlan, ExistingRequest>();
  for (const row of rows) {
    const plan = plans[row.position];
    if (plan === undefined) continue;
    const executionId = executionIdFromUuid(row.execution_id);
    found.set(plan, { executionId, bodyHash: row.body_hash });
  }
  return found;
}

function ambiguous(message: string, cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(message, { ambiguous: true, cause });
}
