import { isJsonObject, type JsonObject } from '../../../src/shared/domain/json.ts';

/** An answer as rows, with the member that names each row in other commands. */
export interface Rows {
  readonly member: ListMember;
  readonly rows: readonly JsonObject[];
  /** Null: other commands take no row of this list. */
  readonly idMember: string | null;
}

/** Lists of answers, by the member that holds them. */
const LISTS = {
  executions: 'execution_id',
  sample: 'execution_id',
  approvals: 'execution_id',
  workflows: 'workflow_id',
  schedules: 'schedule_id',
  webhooks: 'webhook_id',
  deliveries: 'id',
  work_items: 'id',
  workers: 'worker_id',
  agents: 'id',
  tenants: 'id',
  tokens: 'id',
  contexts: 'name',
  events: 'sequence',
  facts: 'id',
  pending: 'node_id',
  queues: null,
  groups: 'id',
  failures: 'execution_id',
  policies: null,
  results: 'execution_id',
  forks: 'execution_id',
} as const satisfies Readonly<Record<string, string | null>>;

/** The member of an answer that holds its list. */
export type ListMember = keyof typeof LISTS;

const MEMBERS = Object.keys(LISTS) as readonly ListMember[];

/** Null: the answer is one thing, not a list. */
export function findRows(answer: unknown): Rows | null {
  if (!isJsonObject(answer)) return null;
  for (const member of MEMBERS) {
    const list = answer[member];
    if (!Array.isArray(list)) continue;
    // A work item has the failures of its attempts.
    if (member === 'failures' && 'id' in answer) continue;
    return { member, rows: list.filter(isJsonObject), idMember: LISTS[member] };
  }
  return null;
}

/** The member that names one thing. The first that an answer has is its id. */
const RECORD_IDS = [
  'schedule_id',
  'webhook_id',
  'work_item_id',
  'worker_id',
  'agent_id',
  'tenant_id',
  'token_id',
  'id',
  'execution_id',
  'workflow_id',
  'hash',
  'name',
];

/** The ids in an answer: of each row of its list, or of the one thing that it is. */
export function findIds(answer: unknown): readonly string[] {
  const list = findRows(answer);
  if (list !== null) {
    const { rows, idMember } = list;
    if (idMember === null) return [];
    // A workflow has a row for each of its versions.
    return [...new Set(rows.flatMap((row) => idAt(row, idMember)))];
  }
  if (!isJsonObject(answer)) return [];
  const record = answer;
  const member = RECORD_IDS.find((name) => idAt(record, name).length > 0);
  return member === undefined ? [] : idAt(record, member);
}

function idAt(row: JsonObject, member: string): readonly string[] {
  const value = row[member];
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}
