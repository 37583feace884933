import { Link } from '@tanstack/react-router';

import { useSession } from '../../../app/session.tsx';
import { StatusBadge } from '../../../ui/data/badge.tsx';
import { useReading } from '../use-reading.ts';
import { CompareLink } from './compare-link.tsx';
import { Forks, tellPoint, useForks } from './forks.tsx';
import styles from './head.module.css';
import type { Execution } from './types.ts';

const CHILDREN_SHOWN = 10;

/** The executions that this one came from, and those that came from it. */
export function Lineage({
  execution,
  seen,
}: {
  readonly execution: Execution;
  readonly seen: number;
}) {
  const { can } = useSession();
  const children = useReading('list-executions', {
    key: ['children', seen],
    params: {
      query: { parent_execution_id: execution.execution_id, limit: CHILDREN_SHOWN },
    },
    enabled: can('GET', '/executions'),
  });
  const forks = useForks(execution.execution_id);
  const origin = execution.forked_from;
  const relatives: readonly (readonly [string, string | null])[] = [
    ['Started by', execution.parent_execution_id],
    ['Retry of', execution.retried_from?.execution_id ?? null],
    ['Retried as', execution.retried_as],
    ['Continues', execution.continued_from],
    ['Continued as', execution.continued_as],
  ];
  const known = relatives.flatMap(([name, id]) => (id === null ? [] : [{ name, id }]));
  const found = children.data?.executions ?? [];
  const hasForks = forks.rows.length > 0 || forks.hasMore;
  if (known.length === 0 && found.length === 0 && origin === null && !hasForks) return null;
  return (
    <ul className={styles.lineage} aria-label="Lineage">
      {known.map(({ name, id }) => (
        <li key={name}>
          {name}{' '}
          <Link to="/executions/$id" params={{ id }}>
            {id}
          </Link>
          {name.startsWith('Retr') ? (
            <>
              {' '}
              <CompareLink one={execution.execution_id} other={id} />
            </>
          ) : null}
        </li>
      ))}
      {origin === null ? null : (
        <li>
          Fork of{' '}
          <Link to="/executions/$id" params={{ id: origin.execution_id }}>
            {origin.execution_id}
          </Link>{' '}
          {tellPoint(origin)}{' '}
          <CompareLink one={execution.execution_id} other={origin.execution_id} />
        </li>
      )}
      <Forks id={execution.execution_id} list={forks} />
      {found.map((child) => (
        <li key={child.execution_id}>
          Child{' '}
          <Link to="/executions/$id" params={{ id: child.execution_id }}>
            {child.workflow_id} {child.execution_id}
          </Link>{' '}
          <StatusBadge status={child.status} />
        </li>
      ))}
      {children.data?.next_cursor === null || children.data === undefined ? null : (
        <li>
          <Link to="/executions" search={{ parent: execution.execution_id }}>
            All children
          </Link>
        </li>
      )}
    </ul>
  );
}
