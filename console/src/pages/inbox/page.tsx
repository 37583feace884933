import { useEffect, useRef, useState } from 'react';

import { useSearchState } from '../../app/search.ts';
import { useShortcuts } from '../../app/use-shortcuts.ts';
import { classNames } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FilterChip, ToggleChip } from '../../ui/controls/chip.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DecidedApproval, EndedApproval, OpenApproval } from './approval-detail.tsx';
import { ApprovalList } from './approval-list.tsx';
import styles from './page.module.css';
import {
  keyOf,
  nameOf,
  useApprovals,
  type Approval,
  type ApprovalName,
  type ApprovalStatus,
} from './read-approvals.ts';

/** The approvals of all executions: a list, and the one that is read. */
export function InboxPage() {
  const [search, change] = useSearchState();
  const status: ApprovalStatus = search['status'] === 'decided' ? 'decided' : 'pending';
  const workflow = search['workflow'];
  return (
    <div className={styles.page}>
      <PageHeader title="Inbox" about="Decisions that executions wait for, the oldest first.">
        <ToggleChip
          pressed={status === 'pending'}
          onToggle={() => change({ ...NOBODY, status: undefined })}
        >
          Open
        </ToggleChip>
        <ToggleChip
          pressed={status === 'decided'}
          onToggle={() => change({ ...NOBODY, status: 'decided' })}
        >
          Decided
        </ToggleChip>
        {workflow === undefined ? null : (
          <FilterChip
            label={`workflow ${workflow}`}
            onRemove={() => change({ workflow: undefined })}
          />
        )}
      </PageHeader>
      <Approvals key={`${status} ${workflow ?? ''}`} status={status} workflow={workflow} />
    </div>
  );
}

const NOBODY = { execution: undefined, node: undefined, visit: undefined, step: undefined };

function Approvals({
  status,
  workflow,
}: {
  readonly status: ApprovalStatus;
  readonly workflow: string | undefined;
}) {
  const [search, change] = useSearchState();
  const list = useApprovals(status, workflow);
  const { rows } = list;
  const chosen = readName(search);
  const at = chosen === null ? -1 : rows.findIndex((row) => keyOf(nameOf(row)) === keyOf(chosen));
  const seen = useLastSeen(rows[at] ?? null);
  const select = (approval: Approval | undefined) => {
    if (approval !== undefined) change({ ...nameOf(approval) });
  };
  const next = rows[at === rows.length - 1 ? at - 1 : at + 1];
  useShortcuts({
    j: () => {
      if (at >= rows.length - 2) list.loadMore();
      select(rows[Math.min(at + 1, rows.length - 1)]);
    },
    k: () => select(rows[Math.max(at - 1, 0)]),
  });
  const pane = useRef<HTMLDivElement>(null);
  const key = chosen && keyOf(chosen);
  useEffect(() => {
    // Keys choose rows beyond the edge of the list too. A row that scrolls back in moves nothing.
    if (key === null) return;
    pane.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [key]);
  const panes = (
    <div className={classNames(styles.panes, chosen !== null && styles.reading)}>
      <div className={styles.list} ref={pane}>
        <ApprovalList status={status} list={list} at={at} onSelect={select} />
      </div>
      <div className={styles.detail}>
        {chosen === null ? (
          <EmptyState title="Choose an approval">
            <p>
              Keys: j and k move through the list, a and r decide, x selects for one decision on
              many.
            </p>
          </EmptyState>
        ) : (
          <>
            <Button className={styles.back} onClick={() => change(NOBODY)}>
              ← All approvals
            </Button>
            <Detail
              key={keyOf(chosen)}
              name={chosen}
              approval={rows[at] ?? null}
              seen={seen}
              onDecided={() => (next === undefined ? change(NOBODY) : select(next))}
            />
          </>
        )}
      </div>
    </div>
  );
  // An approval that the address names is shown beside an empty list too.
  const empty = chosen === null ? <Nothing status={status} /> : panes;
  return (
    <ListContent list={list} empty={empty}>
      {panes}
    </ListContent>
  );
}

function Detail({
  name,
  approval,
  seen,
  onDecided,
}: {
  readonly name: ApprovalName;
  readonly approval: Approval | null;
  readonly seen: Approval | null;
  readonly onDecided: () => void;
}) {
  const [isGone, setGone] = useState(false);
  const known = seen !== null && keyOf(nameOf(seen)) === keyOf(name) ? seen : null;
  if (approval === null || isGone) return <EndedApproval name={name} approval={known} />;
  if (approval.decision !== null) return <DecidedApproval approval={approval} />;
  return <OpenApproval approval={approval} onDecided={onDecided} onGone={() => setGone(true)} />;
}

/** The row that was read last: it stays on screen when the list no longer has it. */
function useLastSeen(current: Approval | null): Approval | null {
  const [seen, setSeen] = useState(current);
  if (current !== null && current !== seen) setSeen(current);
  return current ?? seen;
}

function Nothing({ status }: { readonly status: ApprovalStatus }) {
  if (status === 'decided') return <EmptyState title="Nobody has decided anything in 90 days" />;
  return (
    <EmptyState title="Nothing waits for a decision">
      <p>
        A node of kind <code>human_approval</code>, or a tool that a policy lists in{' '}
        <code>require_approval_for</code>, asks here.
      </p>
    </EmptyState>
  );
}

function readName(search: Readonly<Record<string, string>>): ApprovalName | null {
  const { execution, node, visit, step = '' } = search;
  if (execution === undefined || node === undefined || visit === undefined) return null;
  return { execution, node, visit, step };
}
