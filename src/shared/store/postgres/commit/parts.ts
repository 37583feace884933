import type { Column } from './batch.ts';

/** What the files that make up the commit statement share. */

/** A part of the statement is there when the column it starts from is not empty. */
export const SECTIONS = [
  'new_plan',
  'run_plan',
  'limit_plan',
  'request_plan',
  'settle_plan',
  'expire_plan',
  'revoke_execution',
  'hold_execution',
  'release_execution',
  'ticket_plan',
  'item_plan',
  'fire_plan',
  'gone_timer_execution',
  'timer_plan',
  'output_plan',
  'snapshot_plan',
  'dead_plan',
  'hook_plan',
  'charge_plan',
  'pause_plan',
  'tree_plan',
  'leave_execution',
] as const satisfies readonly Column[];

export type Section = (typeof SECTIONS)[number];

export type Has = (section: Section) => boolean;
/** The parameter that carries a column. */
export type Param = (column: Column) => string;

/** The instant of the statement, read once all locks are had. */
export const INSTANT = '(select instant from clock)';
/** The same to the millisecond, as events carry it. */
export const STAMP = '(select stamp from clock)';

/** True, once the named part has run to its end. */
export function after(part: string): string {
  return `(select count(*) from ${part}) >= 0`;
}
