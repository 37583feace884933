import { SECTIONS, type ColumnOf, type SectionName } from './batch.ts';
import type { Parameters } from './statement.ts';

/** Shared parts of the commit statement's files. */

/** The statement contains a part if the plans have rows of its section. */
export const JUDGED_FLAGS = [
  'creates',
  'failures',
  'runs',
  'labels',
  'setLabels',
  'waits',
  'tenantLines',
  'takes',
  'limits',
  'derived',
  'requests',
  'settles',
  'keeps',
  'expires',
  'revokes',
  'holds',
  'releases',
  'tickets',
  'items',
  'fires',
  'losesTimers',
  'timers',
  'heldTimers',
  'releasedTimers',
  'snapshots',
  'deadLetters',
  'messages',
  'approvals',
  'charges',
  'pauses',
  'trees',
  'leavesQueue',
  'leavesLine',
  'usesToken',
  'together',
  'offers',
] as const satisfies readonly SectionName[];

export type JudgedFlag = (typeof JUDGED_FLAGS)[number];

export type Has = (flag: JudgedFlag) => boolean;
export type Param = Parameters;

/** The instant of the statement, read once it holds all locks. */
export const INSTANT = '(select instant from clock)';
/** The same to the millisecond, as events carry it. */
export const STAMP = '(select stamp from clock)';

/** True once the named part has run to its end. */
export function after(part: string): string {
  return `(select count(*) from ${part}) >= 0`;
}

/** New executions whose ids retention has removed executions of. One snapshot shows the row or the removal. */
export function removedBefore($: Param): string {
  return `select r.execution_id
            from ${$.table('derived', 'd', ['execution_id'])}
            join retired_executions r on r.execution_id = d.execution_id`;
}

/** A section's own columns, in the order of its table. */
export function namesOf<Name extends SectionName>(section: Name): readonly ColumnOf<Name>[] {
  return SECTIONS[section].names as readonly ColumnOf<Name>[];
}

/** `t.node_id, t.visit`. */
export function spell(names: readonly string[], alias?: string): string {
  return names.map((name) => (alias === undefined ? name : `${alias}.${name}`)).join(', ');
}
