import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';

import { useSearchState } from '../../app/search.ts';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { nameVisit } from '../../ui/data/name-visit.ts';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Facts, Panel } from '../../ui/layout/panel.tsx';
import { Row, Stack } from '../../ui/layout/stack.tsx';
import { FilterBar } from '../../ui/layout/toolbar.tsx';
import { InputPanel, StatePanel, VisitsPanel } from './differences.tsx';
import { readComparison, type Execution, type FoundComparison } from './read-comparison.ts';

/** Two executions, node by node: `/executions/{id}/compare?with={other}`. */
export function ExecutionComparePage() {
  const { id = '' } = useParams({ strict: false });
  const [search, change] = useSearchState();
  const other = search['with'] ?? '';
  return (
    <Stack>
      <PageHeader title="Compare executions" about="Where two executions part, node by node." />
      <FilterBar
        key={other}
        label="The other execution"
        onApply={(values) => change({ with: values['with'] }, { replace: false })}
      >
        <Stack>
          <TextField label="Compare with execution" name="with" defaultValue={other} />
          <Row>
            <Button type="submit">Compare</Button>
          </Row>
        </Stack>
      </FilterBar>
      {other === '' ? (
        <EmptyState title="Choose the other execution">
          <p>
            Give the id of another execution. The page of{' '}
            <Link to="/executions/$id" params={{ id }}>
              {id}
            </Link>{' '}
            lists its forks and retries.
          </p>
        </EmptyState>
      ) : (
        <Compared one={id} other={other} />
      )}
    </Stack>
  );
}

function Compared({ one, other }: { readonly one: string; readonly other: string }) {
  const tenant = useTenantId();
  const query = useQuery({
    queryKey: ['compare-executions', tenant, one, other],
    queryFn: ({ signal }) => readComparison([one, other], signal),
    // Up to a hundred requests: only a press of the button reads them again.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <ReadingContent query={query} loading="Reading both executions…">
      {(found) => (
        <Stack>
          <Overview
            found={found}
            isReading={query.isFetching}
            onRead={() => void query.refetch()}
          />
          <VisitsPanel comparison={found.comparison} />
          <InputPanel input={found.comparison.input} />
          <StatePanel state={found.comparison.state} omittedKeys={found.omittedKeys} />
          <CallHint
            command={`svc execution diff ${one} ${other}`}
            request={`GET /executions/${one}/events`}
          />
        </Stack>
      )}
    </ReadingContent>
  );
}

function Overview({
  found,
  isReading,
  onRead,
}: {
  readonly found: FoundComparison;
  readonly isReading: boolean;
  readonly onRead: () => void;
}) {
  const { comparison, one, other, eventsMax } = found;
  const { parts_at: parting, visits } = comparison;
  return (
    <Panel
      title="Overview"
      actions={
        <Button busy={isReading} onClick={onRead}>
          Read again
        </Button>
      }
    >
      <Facts
        facts={[
          ['One', <Which key="one" execution={one} />, 'wide'],
          ['Other', <Which key="other" execution={other} />, 'wide'],
          ['Relation', tellRelation(one, other)],
          ['They part at', parting === null ? 'no node' : nameVisit(parting)],
          ['Visits alike', visits.filter(({ differs }) => differs === null).length],
        ]}
      />
      {one.execution_id === other.execution_id ? <p>Both are the same execution.</p> : null}
      {one.workflow_id === other.workflow_id ? null : (
        <p>They are executions of different workflows, so only nodes of the same name compare.</p>
      )}
      {eventsMax === null ? null : (
        <p>
          Only the first {eventsMax} starts and ends of visits of each were read. The command
          compares all.
        </p>
      )}
    </Panel>
  );
}

function Which({ execution }: { readonly execution: Execution }) {
  const { execution_id: id, workflow_id: workflow, workflow_version: version } = execution;
  return (
    <>
      <Link to="/executions/$id" params={{ id }}>
        {id}
      </Link>{' '}
      {workflow} {version} <StatusBadge status={execution.status} />
    </>
  );
}

function tellRelation(one: Execution, other: Execution): string {
  const is = (from: { readonly execution_id: string } | null, of: Execution) =>
    from?.execution_id === of.execution_id;
  if (is(other.forked_from, one)) return 'the other is a fork of the one';
  if (is(one.forked_from, other)) return 'the one is a fork of the other';
  if (is(other.retried_from, one)) return 'the other is a retry of the one';
  if (is(one.retried_from, other)) return 'the one is a retry of the other';
  return 'neither began from the other';
}
