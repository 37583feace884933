import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { Button } from '../../../ui/controls/button.tsx';
import { StatusBadge } from '../../../ui/data/badge.tsx';
import { ErrorState, Loading } from '../../../ui/feedback/states.tsx';
import type { WorkPlaces } from '../live/work-places.ts';
import type { Selection } from '../selection.ts';
import type { Visit } from '../timeline/stretches.ts';
import { useReading } from '../use-reading.ts';
import { nameActivity } from './name-activity.ts';
import { describeProgress, type NodeSum } from './node-list.tsx';
import styles from './nodes-pane.module.css';

const PAGE_ITEMS = 50;
const ITEMS_MAX = 500;

/** The items of a map, those that failed first. */
export function MapItems({
  id,
  node,
  at,
  selection,
  places,
}: {
  readonly id: string;
  readonly node: NodeSum;
  readonly at: number;
  readonly selection: Selection;
  /** Null: not known at this point. */
  readonly places: WorkPlaces | null;
}) {
  const [limit, setLimit] = useState(PAGE_ITEMS);
  const query = { sequence: at, node: node.node_id, limit };
  const failed = useReading('read-timeline', {
    key: ['failed items'],
    params: { path: { id }, query: { ...query, status: 'failed' } },
  });
  const all = useReading('read-timeline', { key: ['items'], params: { path: { id }, query } });
  const error = failed.error ?? all.error;
  if (error !== null) return <ErrorState error={error} onRetry={all.refetch} />;
  if (failed.data === undefined || all.data === undefined) return <Loading />;
  const failures = failed.data.visits.filter(isItem);
  // The two readings may be of different moments: an item may have failed between them.
  const shown = new Set(failures.map(({ scheduled_sequence: sequence }) => sequence));
  const others = all.data.visits.filter(
    (visit) => isItem(visit) && !shown.has(visit.scheduled_sequence),
  );
  return (
    <section aria-label={`Items of ${node.node_id}`}>
      <h3>{node.progress === null ? 'Items' : describeProgress(node.progress)}</h3>
      <ul className={styles.list} aria-label={`Items of ${node.node_id}`}>
        {[...failures, ...others].map((visit) => (
          <ItemLine
            key={visit.scheduled_sequence}
            visit={visit}
            status={statusOf(visit, places)}
            selection={selection}
          />
        ))}
      </ul>
      {all.data.next_after === null ? null : limit < ITEMS_MAX ? (
        <Button onClick={() => setLimit(ITEMS_MAX)}>Show more items</Button>
      ) : (
        <p className={styles.note}>These are the first {ITEMS_MAX} items and the failed ones.</p>
      )}
    </section>
  );
}

function statusOf(visit: Visit, places: WorkPlaces | null): string {
  if (visit.end !== null) return visit.end.outcome;
  const history = visit.stretches.at(-1)?.activity ?? 'queued';
  if (history !== 'working') return nameActivity(history);
  return nameActivity(places?.correct(visit).stretches.at(-1)?.activity ?? null);
}

function ItemLine({
  visit,
  status,
  selection,
}: {
  readonly visit: Visit;
  readonly status: string;
  readonly selection: Selection;
}) {
  const child = visit.stretches.at(-1)?.child_execution_id ?? null;
  return (
    <li className={styles.item}>
      <button
        type="button"
        className={styles.name}
        onClick={() => selection.select({ at: visit.end?.sequence ?? visit.scheduled_sequence })}
      >
        Item {visit.item?.index}
      </button>
      <StatusBadge status={status} />
      {child === null ? null : (
        <Link to="/executions/$id" params={{ id: child }}>
          Open child execution
        </Link>
      )}
      {visit.end?.error ? <span className={styles.error}>{visit.end.error}</span> : null}
    </li>
  );
}

function isItem({ item }: Visit): boolean {
  return item !== null;
}
