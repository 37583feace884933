import { Link } from '@tanstack/react-router';

import { useSession } from '../../../app/session.tsx';
import styles from './head.module.css';
import type { Blocker, Execution } from './types.ts';

const BEGUN = 'status in (running, paused) and waiting = false';

/** Who has the places that an execution waits for, and who may have more of them. */
export function WaitRemedy({
  blocker: { waits_for: holders = [], unblocked_by: remedy },
  waitingFor,
}: {
  readonly blocker: Blocker;
  readonly waitingFor: Execution['waiting_for'];
}) {
  const { can, who } = useSession();
  if (waitingFor?.kind === 'max_concurrent_executions') {
    return (
      <span className={styles.note}>
        Unblocked by the end of another execution of the tenant.{' '}
        <Link to="/executions" search={{ q: BEGUN }}>
          Show those that have begun
        </Link>
        {who.is_operator && can('PUT', '/tenants/:id') ? (
          <>
            {' '}
            <Link to="/tenants">Change the limit of the tenant</Link>
          </>
        ) : null}
      </span>
    );
  }
  if (holders.length === 0) return <span className={styles.note}>Unblocked by {remedy}</span>;
  return (
    <span className={styles.note}>
      Executions that have a place:{' '}
      {holders.map((id, index) => (
        <span key={id}>
          {index === 0 ? '' : ', '}
          <Link to="/executions/$id" params={{ id }}>
            {id}
          </Link>
        </span>
      ))}
      {needsClock(remedy) ? '. It also waits for the clock, by its rate.' : ''}
    </span>
  );
}

/** The remedy of one that waits for a token besides. */
const needsClock = (remedy: string): boolean => remedy.endsWith('the clock');
