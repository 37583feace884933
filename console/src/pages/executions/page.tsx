import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { pace, timed } from '../../api/pace.ts';
import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { FilterChip } from '../../ui/controls/chip.tsx';
import { AbsoluteTime } from '../../ui/data/time.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { quoteArgument } from '../../ui/feedback/quote-argument.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { ExecutionList } from './execution-list.tsx';
import { isEverything, parametersOf, readFilter, type Filter } from './filter.ts';
import { GroupBy, GroupCounts } from './group-counts.tsx';
import { Histogram } from './histogram.tsx';
import styles from './page.module.css';
import { QueryField } from './query/query-field.tsx';
import { useDraft } from './query/use-draft.ts';
import { useWorkflowIds } from './query/use-workflow-ids.ts';
import { readCounts } from './read-executions.ts';
import { StatusFilter } from './status-filter.tsx';
import { useLiveList } from './use-live-list.ts';
import { SavedViews } from './views/saved-views.tsx';

const COUNT_MS = 10_000;
const BUCKETS = 60;

/** The executions of a tenant: found by a query, counted, and acted upon. */
export function ExecutionsPage() {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const [draft, setDraft] = useDraft(search['q'] ?? '', (q) => change({ q }));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isAtTop, setAtTop] = useState(true);
  const filter = readFilter(search);
  const parameters = parametersOf(filter);
  const list = useLiveList(parameters, isAtTop);
  const counts = useCounts(filter);
  const workflows = useWorkflowIds();
  const narrow = (condition: string) => {
    const q = [parameters.q, condition].filter(Boolean).join(' and ');
    change({ q }, { replace: false });
  };
  return (
    <>
      <PageHeader title="Executions" about="Runs of workflows, the newest first.">
        <SavedViews
          search={search}
          canSave={!isEverything(filter)}
          onOpen={(view) => change({ ...NO_FILTER, ...view })}
        />
        <ColumnChooser />
        {can('POST', '/executions') ? <Link to="/workflows">Start an execution</Link> : null}
      </PageHeader>
      <QueryField
        query={draft}
        problems={readFilter({ q: draft }).problems}
        workflows={workflows}
        onChange={setDraft}
      />
      <div className={styles.bar}>
        <StatusFilter
          counts={counts.data}
          status={filter.status}
          onChange={(status) => change({ status: status ?? undefined })}
        />
        <Chips filter={filter} onChange={change} />
        <GroupBy
          by={search['by']}
          labels={new Set(list.rows.flatMap(({ labels }) => Object.keys(labels)))}
          onChange={(by) => change({ by })}
        />
      </div>
      {search['by'] === undefined ? null : (
        <GroupCounts by={search['by']} parameters={parameters} onChoose={narrow} />
      )}
      {counts.data !== undefined && counts.data.histogram.length > 0 ? (
        <Histogram
          buckets={counts.data.histogram}
          onChoose={(from, before) => change({ from, before }, { replace: false })}
        />
      ) : null}
      <BulkBar
        selected={selected}
        filter={isEverything(filter) || filter.problems.length > 0 ? null : parameters}
        onDone={() => {
          setSelected(new Set());
          list.reload();
          void counts.refetch();
        }}
        onClear={() => setSelected(new Set())}
      />
      <ExecutionList
        list={list}
        isFiltered={!isEverything(filter)}
        selected={can('POST', '/executions/bulk') ? selected : null}
        onSelect={(id, isSelected) =>
          setSelected((before) => {
            const next = new Set(before);
            if (isSelected) next.add(id);
            else next.delete(id);
            return next;
          })
        }
        onNarrow={narrow}
        onScroll={setAtTop}
        onReset={() => {
          setDraft('');
          change(NO_FILTER);
        }}
      />
      <CallHint
        command={`svc execution list${search['q'] ? ` -q ${quoteArgument(search['q'])}` : ''}`}
        request={`GET /executions${isEverything(filter) ? '' : '?'}${new URLSearchParams({ ...parameters }).toString()}`}
      />
    </>
  );
}

const NO_FILTER = {
  q: undefined,
  status: undefined,
  parent: undefined,
  from: undefined,
  before: undefined,
};

function Chips({
  filter: { parent, from, before },
  onChange,
}: {
  readonly filter: Filter;
  readonly onChange: ReturnType<typeof useSearchState>[1];
}) {
  return (
    <div className={styles.chips}>
      {parent === null ? null : (
        <FilterChip
          label={`Children of ${parent}`}
          onRemove={() => onChange({ parent: undefined })}
        />
      )}
      {from === null && before === null ? null : (
        <>
          <FilterChip
            label="Chosen time"
            onRemove={() => onChange({ from: undefined, before: undefined })}
          />
          <span className={styles.note}>
            {from === null ? null : <AbsoluteTime at={from} />} –{' '}
            {before === null ? null : <AbsoluteTime at={before} />}
          </span>
        </>
      )}
    </div>
  );
}

/** Counts of every status, so that the chosen one shows beside the others. */
function useCounts(filter: Filter) {
  const parameters = parametersOf({ ...filter, status: null });
  return useQuery({
    queryKey: ['execution-counts', parameters],
    queryFn: ({ signal }) => timed(() => readCounts(parameters, BUCKETS, signal)),
    select: ({ answer }) => answer,
    refetchInterval: ({ state }) => pace(COUNT_MS, state.data),
    placeholderData: keepPreviousData,
  });
}
