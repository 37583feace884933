import { Link } from '@tanstack/react-router';

import { useByCursor, type CursorList } from '../../api/by-cursor.ts';
import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { VirtualList } from '../../ui/data/virtual-list.tsx';
import { ListContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import styles from './page.module.css';
import { readWorkflows, type WorkflowVersion } from './read-workflows.ts';
import { WorkflowRow } from './workflow-row.tsx';

const REFRESH_MS = 10_000;

/** Every workflow once, by the version that was registered last. */
export function WorkflowsPage() {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const list = useByCursor({
    key: ['workflows'],
    read: (cursor, signal) => readWorkflows(null, cursor, signal),
    everyMs: REFRESH_MS,
  });
  const wanted = search['q'] ?? '';
  return (
    <>
      <PageHeader title="Workflows" about="Registered definitions, the latest first.">
        {can('POST', '/workflows') ? <Link to="/editor">New workflow</Link> : null}
      </PageHeader>
      {list.rows.length > 0 || wanted !== '' ? (
        <TextField
          label="Filter by id"
          type="search"
          value={wanted}
          onChange={(event) => change({ q: event.target.value })}
        />
      ) : null}
      <Content list={list} wanted={wanted} mayRegister={can('POST', '/workflows')} />
    </>
  );
}

function Content({
  list,
  wanted,
  mayRegister,
}: {
  readonly list: CursorList<WorkflowVersion>;
  readonly wanted: string;
  readonly mayRegister: boolean;
}) {
  const rows = latestOfEach(list.rows).filter(({ workflow_id: id }) => id.includes(wanted));
  const empty =
    list.rows.length === 0 ? (
      <NothingYet mayRegister={mayRegister} />
    ) : (
      <EmptyState title={`No workflow id contains “${wanted}”`}>
        <p>Part of an id is enough; capital letters count.</p>
      </EmptyState>
    );
  return (
    <ListContent list={{ ...list, rows }} empty={empty}>
      <div className={styles.list}>
        <VirtualList
          label="Workflows"
          list={{ ...list, rows }}
          rowKey={({ workflow_id: id }) => id}
          rowHeight={56}
        >
          {(row) => <WorkflowRow row={row} />}
        </VirtualList>
      </div>
    </ListContent>
  );
}

function NothingYet({ mayRegister }: { readonly mayRegister: boolean }) {
  return (
    <EmptyState title="No workflow is registered">
      {mayRegister ? (
        <p>
          <Link to="/editor">Write one in the editor</Link>, or register a file:{' '}
          <code>svc workflow register workflow.json</code>
        </p>
      ) : (
        <p>A developer registers workflows; they appear here.</p>
      )}
    </EmptyState>
  );
}

/** Rows come newest first, so the first of each workflow is its latest. */
function latestOfEach(rows: readonly WorkflowVersion[]): readonly WorkflowVersion[] {
  const seen = new Set<string>();
  return rows.filter(({ workflow_id: id }) => !seen.has(id) && seen.add(id));
}
