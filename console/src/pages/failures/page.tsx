import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { FailureGroups } from './failure-groups.tsx';

/** Failures by cause, and the items whose attempts are used up. */
export function FailuresPage() {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const showsLetters = search['tab'] === 'letters';
  return (
    <>
      <PageHeader
        title="Failures"
        about="Executions that failed, and items whose attempts are used up."
      />
      {can('GET', '/work-items') ? (
        <Tabs
          label="Views of failures"
          value={showsLetters ? 'letters' : 'causes'}
          onChange={(tab) => change({ tab: tab === 'letters' ? tab : undefined })}
          tabs={[
            { id: 'causes', title: 'By cause', content: <FailureGroups /> },
            { id: 'letters', title: 'Dead letters', content: <DeadLetters /> },
          ]}
        />
      ) : (
        <FailureGroups />
      )}
    </>
  );
}
