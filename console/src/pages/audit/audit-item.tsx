import { Link } from '@tanstack/react-router';

import type { ReplyOf } from '../../api/client.ts';
import { useSearchState } from '../../app/search.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/controls/dialog.tsx';
import { Copyable } from '../../ui/data/copyable.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { AbsoluteTime, Time } from '../../ui/data/time.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import styles from './audit.module.css';

export type AuditItem = ReplyOf<'list-audit'>['items'][number];

export function AuditRow({ item }: { readonly item: AuditItem }) {
  const [, change] = useSearchState();
  return (
    <div className={styles.row}>
      <span className={styles.when}>
        <Time at={item.created_at} />
      </span>
      <span className={styles.what}>
        <Button
          kind="quiet"
          className={styles.action ?? ''}
          onClick={() => change({ item: item.id }, { replace: false })}
        >
          {item.event_type}
        </Button>
      </span>
      <span className={styles.who}>{item.actor_id}</span>
      <span className={styles.object}>
        <ObjectOf item={item} />
      </span>
    </div>
  );
}

/** Titles of the parts of a row, for who sees them in columns. */
export function AuditHead() {
  return (
    <div className={styles.head} aria-hidden>
      <span>When</span>
      <span>Action</span>
      <span>Actor</span>
      <span>Object</span>
    </div>
  );
}

/** An item with all that is recorded of it. */
export function AuditItemDialog({
  item,
  onClose,
}: {
  readonly item: AuditItem;
  readonly onClose: () => void;
}) {
  return (
    <Dialog open wide onClose={onClose} title={item.event_type}>
      <Facts
        facts={[
          ['Time', <AbsoluteTime key="at" at={item.created_at} />],
          ['Actor', item.actor_id],
          ['Object', <ObjectOf key="object" item={item} />],
          ['Item', <Copyable key="id" text={item.id} label="item id" />],
        ]}
      />
      {item.payload === null ? (
        <p>The content of an event is in the history of its execution.</p>
      ) : (
        <JsonView value={item.payload} label="Details of the item" />
      )}
    </Dialog>
  );
}

function ObjectOf({ item }: { readonly item: AuditItem }) {
  if (item.execution_id === null) return <>{nameIn(item.payload) ?? '–'}</>;
  const event = item.sequence === null ? '' : `, event ${item.sequence}`;
  const node = item.node_id === null ? '' : `, step ${item.node_id}`;
  return (
    <>
      <Link to="/executions/$id" params={{ id: item.execution_id }}>
        {item.execution_id}
      </Link>
      {event}
      {node}
    </>
  );
}

const NAMES = ['name', 'workflow_id', 'tenant_id', 'agent_id', 'schedule_id', 'webhook_id', 'id'];

/** The first member that names something. */
function nameIn(payload: AuditItem['payload']): string | null {
  for (const name of NAMES) {
    const value = payload?.[name];
    if (typeof value === 'string') return value;
  }
  return null;
}
