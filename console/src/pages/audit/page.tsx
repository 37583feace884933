import { useState } from 'react';

import { useByCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/client.ts';
import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { VirtualList } from '../../ui/data/virtual-list.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { AuditHead, AuditItemDialog, AuditRow } from './audit-item.tsx';
import { ExportButton } from './export-button.tsx';
import { readFilter } from './read-filter.ts';
import { VerifyDialog } from './verify-dialog.tsx';

const PAGE = 100;

/** The record of changes in the tenant: who did what, to what, and when. */
export function AuditPage() {
  const [search, change] = useSearchState();
  const { can } = useSession();
  const [verifies, setVerifies] = useState(false);
  const filter = readFilter(search);
  const list = useByCursor({
    key: ['audit', filter],
    read: async (cursor, signal) => {
      const query = { ...filter, limit: PAGE, cursor: cursor ?? undefined };
      const page = await call('list-audit', { query, signal });
      return { rows: page.items, nextCursor: page.next_cursor };
    },
  });
  const shown = list.rows.find(({ id }) => id === search.item);
  return (
    <Stack>
      <PageHeader
        title="Audit"
        about="Every change in the tenant, newest first. Items never change."
      >
        <Button onClick={list.reload}>Reload</Button>
        <ExportButton filter={filter} />
        {can('GET', '/audit/verify') ? (
          <Button onClick={() => setVerifies(true)}>Verify…</Button>
        ) : null}
      </PageHeader>
      <AuditFilters />
      <ListContent
        list={list}
        empty={
          <EmptyState title="No item matches">
            <p>Every request that changes something appears here. Clear the filters to see all.</p>
          </EmptyState>
        }
      >
        <VirtualList label="Audit items" list={list} rowKey={({ id }) => id} header={<AuditHead />}>
          {(item) => <AuditRow item={item} />}
        </VirtualList>
      </ListContent>
      {shown === undefined ? null : (
        <AuditItemDialog item={shown} onClose={() => change({ item: undefined })} />
      )}
      {verifies ? <VerifyDialog onClose={() => setVerifies(false)} /> : null}
    </Stack>
  );
}
