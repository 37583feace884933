import type { OutrightColumn, OutrightSection } from './batch.ts';
import { STAMP } from '../parts.ts';

/** What the files that make up the outright commit share. */

export type Has = (section: OutrightSection) => boolean;
/** The parameter that carries a column. */
export type Param = (column: OutrightColumn) => string;

/** Those of the batch, as this statement leaves them. */
export function executions(has: Has): string {
  return [
    ...(has('moves') ? ['select id, shard, base, stamp from moved'] : []),
    ...(has('creates') ? [`select id, shard, 0 as base, ${STAMP} as stamp from created`] : []),
  ].join(' union all ');
}

/** True, when as many executions moved and were made, and leases ended, as the batch names. */
export function allHold(has: Has, $: Param): string {
  const counts = [
    ...(has('moves') ? [`(select count(*) from moved) = cardinality(${$('move_execution')})`] : []),
    ...(has('settles')
      ? [`(select count(*) from released) = cardinality(${$('settle_item')})`]
      : []),
    ...(has('creates')
      ? [`(select count(*) from created) = cardinality(${$('new_execution')})`]
      : []),
  ];
  return counts.join(' and ');
}
