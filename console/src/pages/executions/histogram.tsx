import { useState, type KeyboardEvent, type PointerEvent } from 'react';

import { useTimeZone } from '../../app/preferences.ts';
import { formatInstant } from '../../ui/data/format-time.ts';
import styles from './histogram.module.css';
import type { Counts } from './read-executions.ts';
import { formatCount } from './status-filter.tsx';

type Bucket = Counts['histogram'][number];

/** Which buckets are chosen: from where the choice began to where it is now, both inclusive. */
interface Brush {
  readonly anchor: number;
  readonly head: number;
}

/**
 * Starts over time. Dragging over bars narrows the list to their time. With the keyboard: arrow keys
 * move, with Shift they extend the choice, Enter applies it, and Escape gives it up.
 */
export function Histogram({
  buckets,
  onChoose,
}: {
  readonly buckets: readonly Bucket[];
  readonly onChoose: (from: string, before: string) => void;
}) {
  const zone = useTimeZone();
  const [brush, setBrush] = useState<Brush | null>(null);
  const [isDragging, setDragging] = useState(false);
  const last = buckets.length - 1;
  const tallest = Math.max(1, ...buckets.map(totalOf));
  const [first, final] = brush === null ? [0, -1] : boundsOf(brush, last);
  const chosen = buckets.slice(first, final + 1);
  const apply = () => {
    const from = chosen[0]?.from;
    const before = chosen.at(-1)?.before;
    setBrush(null);
    if (from !== undefined && before !== undefined) onChoose(from, before);
  };
  const press = (event: KeyboardEvent) => {
    const head = headAfter(event.key, brush?.head ?? null, last);
    if (head !== null) {
      event.preventDefault();
      setBrush({ anchor: event.shiftKey ? (brush?.anchor ?? head) : head, head });
    } else if (event.key === 'Enter' && brush !== null) apply();
    else if (event.key === 'Escape') setBrush(null);
  };
  const drag = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return clamp(Math.floor(((event.clientX - left) / width) * buckets.length), last);
  };
  const describe = (parts: readonly Bucket[]) => {
    const [begin, end] = [parts[0], parts.at(-1)];
    if (begin === undefined || end === undefined) return 'No time is chosen.';
    const total = formatCount(parts.reduce((sum, part) => sum + totalOf(part), 0));
    return `${total} started from ${formatInstant(begin.from, zone)} to ${formatInstant(end.before, zone)}`;
  };
  return (
    <figure className={styles.figure}>
      <div
        role="slider"
        tabIndex={0}
        aria-label="Starts over time"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={brush?.head ?? 0}
        aria-valuetext={describe(chosen)}
        className={styles.bars}
        onKeyDown={press}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = drag(event);
          setDragging(true);
          setBrush({ anchor: at, head: at });
        }}
        onPointerMove={(event) => {
          if (isDragging && brush !== null) setBrush({ ...brush, head: drag(event) });
        }}
        onPointerUp={() => {
          setDragging(false);
          apply();
        }}
        onPointerCancel={() => {
          setDragging(false);
          setBrush(null);
        }}
      >
        {buckets.map((bucket, index) => (
          <span
            key={bucket.from}
            className={index >= first && index <= final ? styles.chosen : styles.bucket}
            title={describe([bucket])}
          >
            <span className={styles.other} style={{ height: shareOf(bucket, tallest, false) }} />
            <span className={styles.failed} style={{ height: shareOf(bucket, tallest, true) }} />
          </span>
        ))}
      </div>
      <figcaption className={styles.caption}>
        <span>{formatInstant(buckets[0]?.from ?? '', zone)}</span>
        <span aria-live="polite">{chosen.length > 0 ? describe(chosen) : KEYS}</span>
        <span>{formatInstant(buckets.at(-1)?.before ?? '', zone)}</span>
      </figcaption>
    </figure>
  );
}

const KEYS = 'Drag, or use Shift with the arrow keys and Enter, to choose a time';
/** Where a key moves the choice; null: it is no key of this control. */
function headAfter(key: string, head: number | null, last: number): number | null {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return clamp((head ?? -1) + 1, last);
    case 'ArrowLeft':
    case 'ArrowDown':
      return clamp((head ?? last + 1) - 1, last);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}

function boundsOf({ anchor, head }: Brush, last: number): readonly [number, number] {
  return [clamp(Math.min(anchor, head), last), clamp(Math.max(anchor, head), last)];
}

function clamp(index: number, last: number): number {
  return Math.max(0, Math.min(last, index));
}

function totalOf({ by_status: counts }: Bucket): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function shareOf(bucket: Bucket, tallest: number, isFailed: boolean): string {
  const failed = bucket.by_status.failed ?? 0;
  const count = isFailed ? failed : totalOf(bucket) - failed;
  return `${(100 * count) / tallest}%`;
}
