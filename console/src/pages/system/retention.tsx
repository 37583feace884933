import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { useByCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { Button } from '../../ui/controls/button.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { ListContent, ReadingContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { ENDS, nameOf, PREVIEW_SEARCH_MS, tellDays, type Policy } from './policies.ts';
import { PreviewView } from './preview-view.tsx';
import { RemovePolicyDialog } from './remove-policy-dialog.tsx';
import { SetPolicyDialog } from './set-policy-dialog.tsx';

/** How long executions of the tenant are kept after their end, and what would be removed now. */
export function Retention() {
  const { can } = useSession();
  const tenantId = useTenantId();
  const [adds, setAdds] = useState(false);
  const [removed, setRemoved] = useState<Policy | null>(null);
  const list = useByCursor({
    key: ['retention', 'policies'],
    read: async (cursor, signal) => {
      const query = { limit: 100, cursor: cursor ?? undefined };
      const page = await call('list-retention-policies', { query, signal });
      return { rows: page.policies, nextCursor: page.next_cursor };
    },
  });
  const preview = useQuery({
    queryKey: ['retention', 'preview'],
    queryFn: ({ signal }) =>
      call('preview-retention', { query: { search_ms: PREVIEW_SEARCH_MS }, signal }),
  });
  return (
    <Panel
      title={`Retention of ${tenantId}`}
      actions={
        can('PUT', '/retention/policies') ? (
          <Button onClick={() => setAdds(true)}>Set policy…</Button>
        ) : null
      }
    >
      <ListContent
        list={list}
        empty={
          <EmptyState title="There is no policy">
            <p>
              The configuration decides. A policy keeps executions for a shorter or longer time.
            </p>
          </EmptyState>
        }
      >
        <DataTable
          label="Retention policies"
          rows={list.rows}
          rowKey={({ workflow_id: id }) => id ?? ''}
          columns={
            can('DELETE', '/retention/policies') ? [...COLUMNS, actionsOf(setRemoved)] : COLUMNS
          }
        />
      </ListContent>
      <LoadMore list={list} />
      <h3>What would be removed now</h3>
      <ReadingContent query={preview}>
        {(answer) => <PreviewView preview={answer} />}
      </ReadingContent>
      {adds ? <SetPolicyDialog onClose={() => setAdds(false)} /> : null}
      {removed === null ? null : (
        <RemovePolicyDialog policy={removed} onClose={() => setRemoved(null)} />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<Policy>[] = [
  { id: 'workflow', title: 'Workflow', cell: nameOf },
  ...ENDS.map(({ key, label }) => ({
    id: key,
    title: label,
    cell: (policy: Policy) => tellDays(policy[key]),
  })),
];

function actionsOf(onRemove: (policy: Policy) => void): Column<Policy> {
  return {
    id: 'actions',
    title: 'Actions',
    cell: (policy) => (
      <Button
        kind="danger"
        aria-label={`Remove the policy of ${nameOf(policy)}`}
        onClick={() => onRemove(policy)}
      >
        Remove…
      </Button>
    ),
  };
}
