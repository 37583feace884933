import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';

import { ErrorState } from '../../../ui/feedback/states.tsx';
import type { Selection } from '../selection.ts';
import { EventLine } from './event-line.tsx';
import styles from './events-pane.module.css';
import { useEventPages } from './use-event-pages.ts';

const ROW_PIXELS = 33;

/** The whole history as a list of which only the events in view are read. */
export function AllEvents({
  id,
  seen,
  startedAt,
  selection,
}: {
  readonly id: string;
  readonly seen: number;
  readonly startedAt: string | null;
  readonly selection: Selection;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: seen,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 10,
  });
  const items = virtualizer.getVirtualItems();
  const { events, error } = useEventPages(id, {
    first: (items[0]?.index ?? 0) + 1,
    last: (items.at(-1)?.index ?? 0) + 1,
    seen,
  });
  const { at } = selection;
  useEffect(() => {
    if (at !== null && at >= 1) virtualizer.scrollToIndex(at - 1, { align: 'auto' });
  }, [at, virtualizer]);
  if (error !== null && events.size === 0) return <ErrorState error={error} />;
  return (
    <div ref={scroller} className={styles.scroller} role="region" aria-label="Events" tabIndex={0}>
      <div
        role="list"
        aria-label="Events"
        className={styles.space}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map(({ index, start }) => {
          const event = events.get(index + 1);
          return (
            <div
              key={index}
              role="listitem"
              aria-setsize={seen}
              aria-posinset={index + 1}
              className={styles.row}
              style={{ height: ROW_PIXELS, transform: `translateY(${start}px)` }}
            >
              {event === undefined ? (
                <span className={styles.pending}>{index + 1} …</span>
              ) : (
                <EventLine
                  event={event}
                  startedAt={startedAt}
                  isSelected={event.sequence === at}
                  onSelect={({ sequence, node_id: node }) =>
                    selection.select({ at: sequence, node })
                  }
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
