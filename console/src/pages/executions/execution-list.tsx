import { Link } from '@tanstack/react-router';

import { Button } from '../../ui/controls/button.tsx';
import { VirtualList } from '../../ui/data/virtual-list.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { useColumns } from './columns.ts';
import { ExecutionRow, RowHeader } from './execution-row.tsx';
import styles from './page.module.css';
import type { LiveList } from './use-live-list.ts';

/** The rows, what is new above them, and what to do where there are none. */
export function ExecutionList({
  list,
  isFiltered,
  selected,
  onSelect,
  onNarrow,
  onScroll,
  onReset,
}: {
  readonly list: LiveList;
  readonly isFiltered: boolean;
  /** Null: the role may act on no execution. */
  readonly selected: ReadonlySet<string> | null;
  readonly onSelect: (id: string, isSelected: boolean) => void;
  /** Adds a condition to the query. */
  readonly onNarrow: (condition: string) => void;
  readonly onScroll: (isAtTop: boolean) => void;
  readonly onReset: () => void;
}) {
  const columns = useColumns();
  return (
    <ListContent
      list={list}
      loading="Reading executions…"
      empty={isFiltered ? <NothingFits onReset={onReset} /> : <NothingYet />}
    >
      <div
        className={styles.list}
        onScrollCapture={(event) => {
          if (event.target instanceof HTMLElement) onScroll(event.target.scrollTop === 0);
        }}
      >
        <div role="status" className={styles.unseen}>
          {list.unseen > 0 ? (
            <Button kind="primary" onClick={list.reload}>
              Show {list.unseen} new
            </Button>
          ) : null}
        </div>
        <VirtualList
          label="Executions"
          list={list}
          rowKey={({ execution_id: id }) => id}
          rowHeight={41}
          header={<RowHeader columns={columns} hasChecks={selected !== null} />}
        >
          {(row) => (
            <ExecutionRow
              row={row}
              columns={columns}
              isSelected={selected?.has(row.execution_id) === true}
              onSelect={
                selected === null ? null : (isSelected) => onSelect(row.execution_id, isSelected)
              }
              onNarrow={onNarrow}
            />
          )}
        </VirtualList>
      </div>
    </ListContent>
  );
}

function NothingFits({ onReset }: { readonly onReset: () => void }) {
  return (
    <EmptyState title="No execution fits">
      <p>Change the query, or look at all executions.</p>
      <Button onClick={onReset}>Remove all filters</Button>
    </EmptyState>
  );
}

function NothingYet() {
  return (
    <EmptyState title="Nothing has run yet">
      <p>
        Register a workflow and start it: <Link to="/">the first page</Link> shows how in three
        steps.
      </p>
    </EmptyState>
  );
}
