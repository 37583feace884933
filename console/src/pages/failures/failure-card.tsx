import { Link } from '@tanstack/react-router';
import { useId } from 'react';

import type { ReplyOf } from '../../api/client.ts';
import { useSession, type Session } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { Time } from '../../ui/data/time.tsx';
import styles from './page.module.css';

export type FailureGroup = ReplyOf<'list-failures'>['groups'][number];
export type FailureMember = FailureGroup['members'][number];

/** A cause with a sample, the executions behind it, and a way to run them again. */
export function FailureCard({
  group,
  onRepeat,
}: {
  readonly group: FailureGroup;
  readonly onRepeat: (members: readonly FailureMember[]) => void;
}) {
  const session = useSession();
  const id = useId();
  const repeatable = findRepeatable(group, session);
  const verb = group.kind === 'execution' ? 'Retry' : 'Requeue';
  return (
    <article className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{group.cause === '' ? 'no message' : group.cause}</h2>
        <Badge tone="bad">{group.count === 1 ? 'once' : `${group.count} times`}</Badge>
        {repeatable.length === 0 ? null : (
          <Button onClick={() => onRepeat(repeatable)}>
            {verb} {repeatable.length === 1 ? 'one' : `all ${repeatable.length}`}
          </Button>
        )}
      </header>
      <p className={styles.about}>
        {placeOf(group)}, first <Time at={group.first_at} />, last <Time at={group.last_at} />
      </p>
      <pre className={styles.sample} role="region" tabIndex={0} aria-label="Latest message">
        {group.members[0]?.error}
      </pre>
      <details>
        <summary>
          {group.members.length === group.count
            ? `Executions (${group.count})`
            : `The latest ${group.members.length} of ${group.count} executions`}
        </summary>
        <ul className={styles.members}>
          {group.members.map((member) => (
            <li key={member.work_item_id ?? member.execution_id}>
              <Link to="/executions/$id" params={{ id: member.execution_id }}>
                {member.execution_id}
              </Link>
              <Time at={member.failed_at} />
              {repeatable.includes(member) ? (
                <Button
                  aria-label={`${verb} ${member.execution_id}`}
                  onClick={() => onRepeat([member])}
                >
                  {verb}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      </details>
    </article>
  );
}

/** A failed execution is retried; of one that lives, the item may still be awaited. */
function findRepeatable(group: FailureGroup, { can }: Session): readonly FailureMember[] {
  if (group.kind === 'execution') {
    return can('POST', '/executions/:id/retry') ? group.members : [];
  }
  return can('POST', '/work-items/:id/requeue') ? group.members.filter(({ live }) => live) : [];
}

function placeOf({ kind, workflow_id: workflow, node_id: node, tool }: FailureGroup): string {
  if (kind === 'execution') {
    return `executions of ${workflow} that failed${node === null ? '' : ` at node ${node}`}`;
  }
  return `dead letters of ${workflow}, node ${node ?? ''}, tool ${tool ?? ''}`;
}
