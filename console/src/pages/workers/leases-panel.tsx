import { Link } from '@tanstack/react-router';

import { useSearchState } from '../../app/search.ts';
import { FilterChip } from '../../ui/controls/chip.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { DurationText, useNow } from '../../ui/data/time.tsx';
import { formatDuration } from '../../ui/data/format-time.ts';
import { VirtualList } from '../../ui/data/virtual-list.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './page.module.css';
import { useLeases, type Lease } from './read-workers.ts';

/** The items that are out now: who holds each, since when, and for how much longer. */
export function LeasesPanel() {
  const [search, change] = useSearchState();
  const worker = search['worker'];
  const list = useLeases(worker);
  return (
    <Panel
      title="Leases"
      actions={
        worker === undefined ? null : (
          <FilterChip label={`worker ${worker}`} onRemove={() => change({ worker: undefined })} />
        )
      }
    >
      <ListContent
        list={list}
        empty={
          <p className={styles.about}>
            {worker === undefined ? 'No item is leased now.' : `${worker} holds nothing now.`}
          </p>
        }
      >
        <div className={styles.leases}>
          <VirtualList
            label="Leased items"
            list={list}
            rowKey={({ work_item_id: id }) => id}
            rowHeight={64}
          >
            {(lease) => <LeaseRow lease={lease} />}
          </VirtualList>
        </div>
      </ListContent>
    </Panel>
  );
}

function LeaseRow({ lease }: { readonly lease: Lease }) {
  const { execution_id: id, node_id: node, worker_id: worker, tool, attempt } = lease;
  return (
    <div className={styles.lease}>
      <span className={styles.what}>
        <Link to="/executions/$id" params={{ id }} search={{ node }}>
          {lease.workflow_id}, {node}
        </Link>
        <span className={styles.about}>
          {tool ?? lease.queue_type}, attempt {attempt + 1}
        </span>
      </span>
      <span className={styles.what}>
        <span>{worker}</span>
        <span className={styles.about}>
          for <DurationText from={lease.claimed_at} to={null} />
        </span>
      </span>
      <Countdown lease={lease} />
    </div>
  );
}

/** The nearer of the end of the lease, which a heartbeat moves, and of the attempt, which none moves. */
function Countdown({ lease }: { readonly lease: Lease }) {
  const now = useNow();
  const { expires_at: expiresAt, deadline_at: deadlineAt } = lease;
  const ends = Date.parse(expiresAt);
  const deadline = deadlineAt === null ? Infinity : Date.parse(deadlineAt);
  const left = Math.min(ends, deadline) - now;
  const what = deadline < ends ? 'attempt' : 'lease';
  if (left <= 0) return <Badge tone="bad">{what} over</Badge>;
  const seconds = Math.floor(left / SECOND_MS) * SECOND_MS;
  return (
    <Badge tone={left < SOON_MS ? 'wait' : 'run'}>
      {what} for {formatDuration(seconds)}
    </Badge>
  );
}

const SECOND_MS = 1_000;
const SOON_MS = 10_000;
