import { useState } from 'react';

import type { CursorList } from '../../api/by-cursor.ts';
import { useSession } from '../../app/session.tsx';
import { useShortcuts } from '../../app/use-shortcuts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { VirtualList } from '../../ui/data/virtual-list.tsx';
import { ApprovalRow } from './approval-row.tsx';
import { DecideManyDialog } from './bulk/decide-many-dialog.tsx';
import { rowKey } from './bulk/decide-many.ts';
import styles from './page.module.css';
import type { Approval, ApprovalStatus } from './read-approvals.ts';

/** The approvals in order; open ones can be picked and decided together. */
export function ApprovalList({
  status,
  list,
  at,
  onSelect,
}: {
  readonly status: ApprovalStatus;
  readonly list: CursorList<Approval>;
  /** Index of the row that is read; -1: none. */
  readonly at: number;
  readonly onSelect: (approval: Approval) => void;
}) {
  const { can } = useSession();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<readonly Approval[] | null>(null);
  const mayPick = status === 'pending' && can('POST', '/approvals/decide');
  // A row that is no longer open cannot be decided.
  const chosen = list.rows.filter((row) => picked.has(rowKey(row)));
  const pick = (row: Approval, isPicked: boolean) => {
    const next = new Set(picked);
    if (isPicked) next.add(rowKey(row));
    else next.delete(rowKey(row));
    setPicked(next);
  };
  const read = list.rows[at];
  useShortcuts(
    { x: () => read !== undefined && pick(read, !picked.has(rowKey(read))) },
    mayPick && asked === null,
  );
  return (
    <>
      {mayPick ? (
        <div role="group" aria-label="Decide several" className={styles.buttons}>
          <Button disabled={chosen.length === 0} onClick={() => setAsked(chosen)}>
            Decide {chosen.length} selected…
          </Button>
          {chosen.length === list.rows.length ? (
            <Button kind="quiet" onClick={() => setPicked(new Set())}>
              Clear selection
            </Button>
          ) : (
            <Button kind="quiet" onClick={() => setPicked(new Set(list.rows.map(rowKey)))}>
              Select {list.rows.length === 1 ? 'the one' : `the ${list.rows.length}`} shown
            </Button>
          )}
        </div>
      ) : null}
      <VirtualList
        label={status === 'pending' ? 'Open approvals' : 'Decided approvals'}
        list={list}
        rowKey={rowKey}
        rowHeight={72}
      >
        {(row, index) => (
          <ApprovalRow
            approval={row}
            selected={index === at}
            onSelect={() => onSelect(row)}
            isPicked={picked.has(rowKey(row))}
            onPick={mayPick ? (isPicked) => pick(row, isPicked) : null}
          />
        )}
      </VirtualList>
      {asked === null ? null : (
        <DecideManyDialog
          approvals={asked}
          onDone={() => setPicked(new Set())}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
