import { useSession } from '../../app/session.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { Doctor } from './doctor.tsx';
import { Installation } from './installation.tsx';
import { Retention } from './retention.tsx';

/** The installation: what runs, on which database, for how long data is kept, and its health. */
export function SystemPage() {
  const { can } = useSession();
  const mayRead = can('GET', '/system');
  const mayExamine = can('GET', '/system/doctor');
  return (
    <Stack>
      <PageHeader title="System" about="Processes, database, retention and health." />
      {mayRead ? <Installation /> : null}
      {mayExamine ? <Doctor /> : null}
      {mayRead || mayExamine ? null : (
        <EmptyState title="The installation is for its operators">
          <p>Ask an operator of the tenant default about processes and the database.</p>
        </EmptyState>
      )}
      {can('GET', '/retention/policies') && can('GET', '/retention/preview') ? <Retention /> : null}
    </Stack>
  );
}
