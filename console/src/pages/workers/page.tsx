import { PageHeader } from '../../ui/layout/page-header.tsx';
import { LeasesPanel } from './leases-panel.tsx';
import styles from './page.module.css';
import { QueuesPanel } from './queues-panel.tsx';
import { WorkersPanel } from './workers-panel.tsx';

/** Who does the work, what waits for it, and what is out. */
export function WorkersPage() {
  return (
    <div className={styles.page}>
      <PageHeader
        title="Workers and queues"
        about="Work that waits, the workers that claim it, and what each holds."
      />
      <QueuesPanel />
      <WorkersPanel />
      <LeasesPanel />
    </div>
  );
}
