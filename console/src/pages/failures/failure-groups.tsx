import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { useSearchState } from '../../app/search.ts';
import { FilterChip } from '../../ui/controls/chip.tsx';
import { SelectField } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { FailureCard, type FailureMember } from './failure-card.tsx';
import styles from './page.module.css';
import { RepeatDialog } from './repeat-dialog.tsx';

const REFRESH_MS = 10_000;
const WINDOWS = [
  { value: '1', label: 'the last hour' },
  { value: '24', label: 'the last day' },
  { value: '168', label: 'the last week' },
  { value: '720', label: 'the last 30 days' },
] as const;
const WINDOW_DEFAULT = '24';

/** The causes of failures within a window, the most frequent first. */
export function FailureGroups() {
  const tenant = useTenantId();
  // Here, because a group disappears when its last item runs again.
  const [chosen, setChosen] = useState<readonly FailureMember[] | null>(null);
  const [search, change] = useSearchState();
  const hours = search['hours'] ?? WINDOW_DEFAULT;
  const workflowId = search['workflow'];
  const query = useQuery({
    queryKey: ['failures', tenant, hours, workflowId],
    queryFn: ({ signal }) =>
      call('list-failures', {
        query: { within_hours: Number(hours), workflow_id: workflowId },
        signal,
      }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <div className={styles.view}>
      <div className={styles.filters}>
        <SelectField
          label="Failed within"
          options={WINDOWS}
          value={hours}
          onChange={(event) => change({ hours: event.target.value })}
        />
        {workflowId === undefined ? null : (
          <FilterChip
            label={`Workflow ${workflowId}`}
            onRemove={() => change({ workflow: undefined })}
          />
        )}
        {search['tool'] === undefined ? null : (
          <FilterChip
            label={`Tool ${search['tool']}`}
            onRemove={() => change({ tool: undefined })}
          />
        )}
      </div>
      <ReadingContent query={query}>
        {(reply) => <Groups reply={reply} tool={search['tool']} onRepeat={setChosen} />}
      </ReadingContent>
      {chosen === null ? null : <RepeatDialog members={chosen} onClose={() => setChosen(null)} />}
      <CallHint command="svc failure list" request={`GET /failures?within_hours=${hours}`} />
    </div>
  );
}

function Groups({
  reply,
  tool,
  onRepeat,
}: {
  readonly reply: ReplyOf<'list-failures'>;
  /** Undefined: of any. */
  readonly tool: string | undefined;
  readonly onRepeat: (members: readonly FailureMember[]) => void;
}) {
  const { is_exact: isExact } = reply;
  const groups = reply.groups.filter((group) => tool === undefined || group.tool === tool);
  if (groups.length === 0) {
    return (
      <EmptyState title="Nothing failed in this time">
        <p>A longer window may show more. Failures of a node that is retried do not count.</p>
      </EmptyState>
    );
  }
  return (
    <>
      {isExact ? null : (
        <p>There were more failures than were read: the counts are lower bounds.</p>
      )}
      <ul className={styles.groups} aria-label="Causes of failures">
        {groups.map((group) => (
          <li key={group.id}>
            <FailureCard group={group} onRepeat={onRepeat} />
          </li>
        ))}
      </ul>
    </>
  );
}
