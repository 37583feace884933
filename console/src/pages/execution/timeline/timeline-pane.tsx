import { useMemo, useState } from 'react';

import { Button } from '../../../ui/controls/button.tsx';
import { CheckField } from '../../../ui/controls/field.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { formatDuration } from '../../../ui/data/format-time.ts';
import { useNow } from '../../../ui/data/time.tsx';
import { ReadingContent } from '../../../ui/feedback/list-content.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import type { WorkPlaces } from '../live/work-places.ts';
import type { Selection } from '../selection.ts';
import { useReading } from '../use-reading.ts';
import { ACTIVITY_LABELS, busyTimes, sequenceAt, type Timeline } from './stretches.ts';
import { createTimeScale } from './time-scale.ts';
import styles from './timeline-pane.module.css';
import { VisitRow } from './visit-row.tsx';

const FIRST_ROWS = 100;
const ROWS_MAX = 500;
const ACTIVITIES = ['queued', 'working', 'waiting', 'retrying'] as const;

/** When each node did what, one row for each visit. */
export function TimelinePane({
  id,
  seen,
  selection,
  places,
}: {
  readonly id: string;
  readonly seen: number;
  readonly selection: Selection;
  /** Null: not known. */
  readonly places: WorkPlaces | null;
}) {
  const [limit, setLimit] = useState(FIRST_ROWS);
  const [isFolded, setIsFolded] = useState(true);
  const query = useReading('read-timeline', {
    key: [],
    params: { path: { id }, query: { sequence: seen, limit } },
  });
  const { data } = query;
  const timeline = useMemo(
    () =>
      data === undefined || places === null
        ? data
        : { ...data, visits: data.visits.map(places.correct) },
    [data, places],
  );
  return (
    <Panel
      title="Timeline"
      actions={
        <CheckField
          label="Fold idle time"
          checked={isFolded}
          onChange={(event) => setIsFolded(event.target.checked)}
        />
      }
    >
      <ul className={styles.legend} aria-label="Fills">
        {ACTIVITIES.map((activity) => (
          <li key={activity}>
            <span className={styles[activity]} aria-hidden="true" />
            {ACTIVITY_LABELS[activity]}
          </li>
        ))}
      </ul>
      <p className={styles.legend}>
        A call that ended without a report of its duration counts as running from its beginning.
      </p>
      <ReadingContent query={{ ...query, data: timeline }}>
        {(shown) => <Rows id={id} timeline={shown} isFolded={isFolded} selection={selection} />}
      </ReadingContent>
      {data === undefined || data.next_after === null ? null : limit < ROWS_MAX ? (
        <Button onClick={() => setLimit(ROWS_MAX)}>Show more visits</Button>
      ) : (
        <p>These are the first {ROWS_MAX} visits. Choose a node to see its own.</p>
      )}
    </Panel>
  );
}

function Rows({
  id,
  timeline,
  isFolded,
  selection,
}: {
  readonly id: string;
  readonly timeline: Timeline;
  readonly isFolded: boolean;
  readonly selection: Selection;
}) {
  const { visits, started_at: startedAt, ended_at: endedAt } = timeline;
  const now = useNow(endedAt === null ? undefined : Date.parse(endedAt));
  const cursorAt = useTimeOf(id, selection.at);
  const scale = useMemo(
    () =>
      createTimeScale({
        whole: { from: Date.parse(startedAt), to: now },
        busy: busyTimes(visits, now),
        isFolded,
      }),
    [visits, startedAt, now, isFolded],
  );
  const foldedMs = scale.folds.reduce((sum, { from, to }) => sum + to - from, 0);
  if (visits.length === 0) return <p>No node has begun yet.</p>;
  return (
    <>
      <ul className={styles.rows} aria-label="Visits">
        {visits.map((visit) => (
          <VisitRow
            key={visit.scheduled_sequence}
            visit={visit}
            scale={scale}
            now={now}
            cursorAt={cursorAt}
            isSelected={visit.node_id === selection.node}
            onSelect={() =>
              selection.select({
                at: visit.end?.sequence ?? visit.scheduled_sequence,
                node: visit.node_id,
              })
            }
            onSelectTime={(instant) => {
              const at = sequenceAt(visits, instant);
              if (at !== null) selection.select({ at, node: visit.node_id });
            }}
          />
        ))}
      </ul>
      <p className={classNames(styles.legend)}>
        {formatDuration(now - Date.parse(startedAt))} in all
        {foldedMs === 0 ? '' : `, of which ${formatDuration(foldedMs)} idle are folded`}
      </p>
    </>
  );
}

/** When an event was recorded, for the line through the timeline. */
function useTimeOf(id: string, at: number | null): number | null {
  const { data, isStale } = useReading('read-events', {
    key: [],
    params: { path: { id }, query: { after: (at ?? 1) - 1, limit: 1 } },
    enabled: at !== null && at > 0,
    isFinal: true,
  });
  const event = data?.events[0];
  return at === null || isStale || event === undefined ? null : Date.parse(event.created_at);
}
