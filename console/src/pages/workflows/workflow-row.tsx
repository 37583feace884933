import { Link } from '@tanstack/react-router';

import { useSession } from '../../app/session.tsx';
import { Time } from '../../ui/data/time.tsx';
import { PauseBadge, PauseButton } from '../workflow/pause-control.tsx';
import { RunningCount } from '../workflow/running-count.tsx';
import styles from './page.module.css';
import type { WorkflowVersion } from './read-workflows.ts';

export function WorkflowRow({ row }: { readonly row: WorkflowVersion }) {
  const { can } = useSession();
  const { workflow_id: id, version, revision, pause } = row;
  return (
    <div className={styles.row}>
      <span className={styles.name}>
        <Link to="/workflows/$id" params={{ id }}>
          {id}
        </Link>
        <PauseBadge pause={pause} />
        <span className={styles.about}>
          version {version}
          {revision > 1 ? `, revision ${revision}` : ''} · registered <Time at={row.created_at} />
        </span>
      </span>
      <span className={styles.actions}>
        <RunningCount id={id} version={version} />
        {can('POST', '/executions') ? (
          <Link
            to="/workflows/$id"
            params={{ id }}
            search={{ tab: 'start' }}
            aria-label={`Start ${id}`}
          >
            Start
          </Link>
        ) : null}
        <PauseButton workflowId={id} pause={pause} />
      </span>
    </div>
  );
}
