import { useByCursor } from '../../../api/by-cursor.ts';
import { call } from '../../../api/client.ts';
import { VirtualList } from '../../../ui/data/virtual-list.tsx';
import { ListContent } from '../../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../../ui/feedback/states.tsx';
import type { Selection } from '../selection.ts';
import { KIND_GROUPS, type KindGroup } from './event-kinds.ts';
import { EventLine } from './event-line.tsx';
import styles from './events-pane.module.css';
import type { ExecutionEvent } from './use-event-pages.ts';

const PAGE_EVENTS = 100;

/** The events of some kinds, newest first. */
export function FilteredEvents({
  id,
  seen,
  group,
  startedAt,
  selection,
}: {
  readonly id: string;
  readonly seen: number;
  readonly group: KindGroup;
  readonly startedAt: string | null;
  readonly selection: Selection;
}) {
  const list = useByCursor<ExecutionEvent>({
    key: ['events of kinds', id, group, seen],
    read: async (cursor, signal) => {
      const { events } = await call('read-events', {
        path: { id },
        query: {
          types: KIND_GROUPS[group].join(','),
          order: 'desc',
          before: cursor === null ? seen + 1 : Number(cursor),
          limit: PAGE_EVENTS,
          payload: 'brief',
        },
        signal,
      });
      const last = events.length < PAGE_EVENTS ? undefined : events.at(-1);
      return { rows: events, nextCursor: last === undefined ? null : String(last.sequence) };
    },
  });
  return (
    <ListContent
      list={list}
      empty={<EmptyState title="No events of these kinds">Choose another filter.</EmptyState>}
    >
      <div className={styles.filtered}>
        <VirtualList
          label="Events"
          list={list}
          rowKey={({ sequence }) => String(sequence)}
          rowHeight={33}
        >
          {(event) => (
            <EventLine
              event={event}
              startedAt={startedAt}
              isSelected={event.sequence === selection.at}
              onSelect={({ sequence, node_id: node }) => selection.select({ at: sequence, node })}
            />
          )}
        </VirtualList>
      </div>
    </ListContent>
  );
}
