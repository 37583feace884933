import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';

import type { CursorList } from '../../api/by-cursor.ts';
import styles from './virtual-list.module.css';

const ROWS_BEFORE_END = 10;

/**
 * A list without an end: only the rows on screen exist, and the next page is read before its last
 * row comes into view. Rows are keyed, so that new ones move nothing that is being read.
 */
export function VirtualList<Row>({
  label,
  list,
  rowKey,
  rowHeight = 40,
  children,
  header,
}: {
  readonly label: string;
  readonly list: Pick<CursorList<Row>, 'rows' | 'hasMore' | 'isLoadingMore' | 'loadMore'>;
  readonly rowKey: (row: Row) => string;
  /** Pixels, as a first guess: each row is measured. */
  readonly rowHeight?: number;
  readonly children: (row: Row, index: number) => ReactNode;
  readonly header?: ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { rows, hasMore, isLoadingMore, loadMore } = list;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - ROWS_BEFORE_END) loadMore();
  }, [hasMore, isLoadingMore, last, rows.length, loadMore]);
  return (
    <div ref={scroller} className={styles.scroller} role="region" aria-label={label} tabIndex={0}>
      {header}
      <div
        role="list"
        aria-label={label}
        className={styles.space}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <div
              key={item.key}
              role="listitem"
              aria-setsize={hasMore ? -1 : rows.length}
              aria-posinset={item.index + 1}
              data-index={item.index}
              ref={virtualizer.measureElement}
              className={styles.row}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {children(row, item.index)}
            </div>
          );
        })}
      </div>
      {isLoadingMore ? <p className={styles.more}>Reading more…</p> : null}
    </div>
  );
}
