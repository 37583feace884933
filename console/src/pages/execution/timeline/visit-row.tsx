import { classNames } from '../../../ui/class-names.ts';
import { formatDuration } from '../../../ui/data/format-time.ts';
import {
  ACTIVITY_LABELS,
  describeVisit,
  drawnStretches,
  nameVisit,
  type Visit,
} from './stretches.ts';
import type { TimeScale } from './time-scale.ts';
import styles from './timeline-pane.module.css';

/** One visit as a bar; a click on the bar chooses that point in time. */
export function VisitRow({
  visit,
  scale,
  now,
  cursorAt,
  isSelected,
  onSelect,
  onSelectTime,
}: {
  readonly visit: Visit;
  readonly scale: TimeScale;
  readonly now: number;
  readonly cursorAt: number | null;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  readonly onSelectTime: (instant: number) => void;
}) {
  return (
    <li className={classNames(styles.row, isSelected && styles.chosen)}>
      <button
        type="button"
        className={styles.name}
        aria-label={describeVisit(visit, now)}
        aria-current={isSelected ? 'true' : undefined}
        onClick={onSelect}
      >
        {nameVisit(visit)}
      </button>
      {/* The events and the slider offer the same to the keyboard. */}
      <div
        className={styles.track}
        aria-hidden="true"
        onClick={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          onSelectTime(scale.timeAt((event.clientX - left) / Math.max(1, width)));
        }}
      >
        {scale.folds.map(({ from, to }) => (
          <span key={from} className={styles.fold} style={placeBetween(scale, from, to)} />
        ))}
        {drawnStretches(visit, now).map(({ activity, sequence, attempt, from, to }) => (
          <span
            key={sequence + activity}
            className={classNames(styles.bar, styles[activity])}
            title={`${ACTIVITY_LABELS[activity]}, attempt ${attempt + 1}, ${formatDuration(to - from)}`}
            style={placeBetween(scale, from, to)}
          />
        ))}
        {visit.end?.outcome === 'failed' ? (
          <span
            className={styles.failed}
            style={{ left: toPercent(scale.place(Date.parse(visit.end.at))) }}
          />
        ) : null}
        {cursorAt === null ? null : (
          <span className={styles.cursor} style={{ left: toPercent(scale.place(cursorAt)) }} />
        )}
      </div>
    </li>
  );
}

function placeBetween(scale: TimeScale, from: number, to: number) {
  const left = scale.place(from);
  return { left: toPercent(left), width: toPercent(scale.place(to) - left) };
}

function toPercent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
