import type { SectionName } from '../batch.ts';
import { removedBefore, STAMP, type Param } from '../parts.ts';

/** Shared parts of the optimistic commit's files. */

/**
 * Most are sections. `ends`: a plan gives its execution a status or an error. `tails`: a plan
 * appends after the execution's last event, so the row determines its sequences.
 */
export const OPTIMISTIC_FLAGS = [
  'moves',
  'ends',
  'events',
  'creates',
  'derived',
  'requests',
  'labels',
  'settles',
  'handovers',
  'drops',
  'leases',
  'queued',
  'items',
  'marks',
  'clears',
  'messages',
  'tails',
  'offers',
] as const satisfies readonly (SectionName | 'ends' | 'tails')[];

export type OptimisticFlag = (typeof OPTIMISTIC_FLAGS)[number];

export type Has = (flag: OptimisticFlag) => boolean;

/** The executions of the batch, as this statement leaves them. */
export function executions(has: Has): string {
  return [
    ...(has('moves') ? ['select id, shard, base, stamp from moved'] : []),
    ...(has('creates') ? [`select id, shard, 0 as base, ${STAMP} as stamp from created`] : []),
  ].join(' union all ');
}

/**
 * True if as many executions moved and were created, and as many leases ended, as the batch names,
 * and if no new execution has the id of a removed one.
 */
export function allHold(has: Has, $: Param): string {
  const counts = [
    ...(has('moves')
      ? [`(select count(*) from moved) = cardinality(${$.array('moves', 'execution_id')})`]
      : []),
    ...(has('settles')
      ? [
          `(select count(*) from released)
            ${has('handovers') ? '+ (select count(*) from handed)' : ''}
            ${has('drops') ? '+ (select count(*) from dropped)' : ''}
            = cardinality(${$.array('settles', 'work_item_id')})`,
        ]
      : []),
    ...(has('creates')
      ? [`(select count(*) from created) = cardinality(${$.array('creates', 'execution_id')})`]
      : []),
    ...(has('derived') ? [`not exists (${removedBefore($)})`] : []),
  ];
  return counts.join(' and ');
}
