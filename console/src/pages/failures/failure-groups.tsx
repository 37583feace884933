import { useState } from 'react';

import { useByCursor, type CursorList } from '../../api/by-cursor.ts';
import { call } from '../../api/client.ts';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { useSearchState } from '../../app/search.ts';
import { FilterChip } from '../../ui/controls/chip.tsx';
import { SelectField } from '../../ui/controls/field.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { quoteArgument } from '../../ui/feedback/quote-argument.ts';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { parametersOf, readFilter } from '../executions/filter.ts';
import { QueryField } from '../executions/query/query-field.tsx';
import { useDraft } from '../executions/query/use-draft.ts';
import { useWorkflowIds } from '../executions/query/use-workflow-ids.ts';
import { FailureCard, type FailureGroup, type FailureMember } from './failure-card.tsx';
import styles from './page.module.css';
import { RepeatDialog } from './repeat-dialog.tsx';

const REFRESH_MS = 10_000;
const PAGE = 20;
/** As many are repeated with one click. */
const MEMBERS = 50;
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
  const [draft, setDraft] = useDraft(search['q'] ?? '', (q) => change({ q }));
  const workflows = useWorkflowIds();
  const hours = search['hours'] ?? WINDOW_DEFAULT;
  const { tool, workflow: workflowId } = search;
  const { q } = parametersOf(readFilter({ q: search['q'] ?? '' }));
  const list = useByCursor({
    key: ['failures', tenant, hours, workflowId, q],
    read: async (cursor, signal) => {
      const filter = { within_hours: Number(hours), workflow_id: workflowId, q };
      const query = { ...filter, limit: PAGE, members: MEMBERS, cursor: cursor ?? undefined };
      const page = await call('list-failures', { query, signal });
      return { rows: page.groups, nextCursor: page.next_cursor, isExact: page.is_exact };
    },
    everyMs: REFRESH_MS,
  });
  return (
    <div className={styles.view}>
      <QueryField
        query={draft}
        problems={readFilter({ q: draft }).problems}
        workflows={workflows}
        onChange={setDraft}
      />
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
        {tool === undefined ? null : (
          <FilterChip label={`Tool ${tool}`} onRemove={() => change({ tool: undefined })} />
        )}
      </div>
      {list.isExact ? null : (
        <p>There may be more failures than were read: the counts are lower bounds.</p>
      )}
      <Groups
        list={{ ...list, rows: list.rows.filter((group) => (tool ?? group.tool) === group.tool) }}
        onRepeat={setChosen}
      />
      {chosen === null ? null : <RepeatDialog members={chosen} onClose={() => setChosen(null)} />}
      <CallHint
        command={`svc failure list${q === undefined ? '' : ` -q ${quoteArgument(q)}`}`}
        request={`GET /failures?${new URLSearchParams({ within_hours: hours, ...(q && { q }) }).toString()}`}
      />
    </div>
  );
}

function Groups({
  list,
  onRepeat,
}: {
  readonly list: CursorList<FailureGroup>;
  readonly onRepeat: (members: readonly FailureMember[]) => void;
}) {
  const nothing = (
    <EmptyState title="Nothing failed in this time">
      <p>
        A longer window or another query may show more. Failures of a node that is retried do not
        count.
      </p>
    </EmptyState>
  );
  return (
    <ListContent list={list} empty={nothing}>
      <ul className={styles.groups} aria-label="Causes of failures">
        {list.rows.map((group) => (
          <li key={group.id}>
            <FailureCard group={group} onRepeat={onRepeat} />
          </li>
        ))}
      </ul>
      <LoadMore list={list} />
    </ListContent>
  );
}
