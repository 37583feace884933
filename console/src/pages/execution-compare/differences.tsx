import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useSearchState } from '../../app/search.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CheckField } from '../../ui/controls/field.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { LongText } from '../../ui/data/long-text.tsx';
import { nameVisit } from '../../ui/data/name-visit.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import type {
  ComparedVisit,
  Comparison,
  VisitResult,
} from '../../../../src/shared/clients/svc/compare-executions.ts';

const PAGE_ROWS = 100;
const SHOWN_CHARS = 400;

/** The visits that differ, or all of them. */
export function VisitsPanel({ comparison }: { readonly comparison: Comparison }) {
  const [search, change] = useSearchState();
  const [shown, setShown] = useState(PAGE_ROWS);
  const showsAll = search['all'] === 'yes';
  const { visits } = comparison;
  const rows = showsAll ? visits : visits.filter(({ differs }) => differs !== null);
  return (
    <Panel title="Nodes">
      <CheckField
        label="Show visits that are alike"
        checked={showsAll}
        onChange={(event) => change({ all: event.target.checked ? 'yes' : undefined })}
      />
      {rows.length === 0 ? (
        <p>
          {visits.length === 0
            ? 'No node has begun in either execution.'
            : 'Every node has the same outcome and output in both.'}
        </p>
      ) : (
        <DataTable
          label="Nodes that differ"
          rows={rows.slice(0, shown)}
          rowKey={({ node_id: node, visit }) => `${node} ${visit}`}
          columns={columnsOf(comparison)}
        />
      )}
      {rows.length > shown ? (
        <Button onClick={() => setShown(shown + PAGE_ROWS)}>
          Show more of {rows.length} visits
        </Button>
      ) : null}
    </Panel>
  );
}

const DIFFERENCES = {
  only_one: 'ran in one only',
  outcome: 'outcome',
  output: 'output',
  unknown: 'too large to compare',
} as const;

function columnsOf({ one, other }: Comparison): readonly Column<ComparedVisit>[] {
  return [
    {
      id: 'node',
      title: 'Node',
      cell: nameVisit,
    },
    {
      id: 'differs',
      title: 'Differs by',
      cell: ({ differs }) => (differs === null ? 'nothing' : DIFFERENCES[differs]),
    },
    { id: 'one', title: 'One', cell: (row) => <Result {...{ row, of: one, result: row.one }} /> },
    {
      id: 'other',
      title: 'Other',
      cell: (row) => <Result {...{ row, of: other, result: row.other }} />,
    },
  ];
}

function Result({
  row,
  of,
  result,
}: {
  readonly row: ComparedVisit;
  readonly of: string;
  readonly result: VisitResult | null;
}) {
  if (result === null) return <>did not run</>;
  const { outcome, output, error, attempts, duration_ms: ms, sequence } = result;
  const isKept = outcome === 'kept';
  return (
    <>
      <StatusBadge status={outcome} /> {ms === null ? null : `${ms} ms`}
      {attempts > 1 ? `, ${attempts} attempts` : null}{' '}
      {isKept || sequence === null ? null : (
        <Link
          to="/executions/$id"
          params={{ id: of }}
          search={{ node: row.node_id, at: String(sequence) }}
        >
          event {sequence}
        </Link>
      )}
      {error === null ? null : (
        <div>
          <LongText text={error} />
        </div>
      )}
      {outcome === 'completed' && row.differs !== null ? (
        <div>{row.differs === 'unknown' ? null : <Value value={output} />}</div>
      ) : null}
    </>
  );
}

export function InputPanel({ input }: { readonly input: Comparison['input'] }) {
  return (
    <Panel title="Inputs">
      {input.differs === true ? (
        <>
          <JsonView label="Input of one" value={input.one} />
          <JsonView label="Input of the other" value={input.other} />
        </>
      ) : (
        <p>
          {input.differs === false
            ? 'Both began with the same input.'
            : 'The inputs are not recorded, or too large to compare.'}
        </p>
      )}
    </Panel>
  );
}

export function StatePanel({
  state,
  omittedKeys,
}: {
  readonly state: Comparison['state'];
  readonly omittedKeys: readonly string[];
}) {
  const [shown, setShown] = useState(PAGE_ROWS);
  return (
    <Panel title="States">
      {state.length === 0 ? (
        <p>No key of the states differs.</p>
      ) : (
        <DataTable
          label="Keys of the states that differ"
          rows={state.slice(0, shown)}
          rowKey={({ key }) => key}
          columns={STATE_COLUMNS}
        />
      )}
      {state.length > shown ? (
        <Button onClick={() => setShown(shown + PAGE_ROWS)}>
          Show more of {state.length} keys
        </Button>
      ) : null}
      {omittedKeys.length === 0 ? null : (
        <p>Not compared, because they are too large: {omittedKeys.join(', ')}.</p>
      )}
    </Panel>
  );
}

const STATE_COLUMNS: readonly Column<Comparison['state'][number]>[] = [
  { id: 'key', title: 'Key', cell: ({ key }) => <code>{key}</code> },
  {
    id: 'one',
    title: 'One',
    cell: ({ one, absent_in: side }) => (side === 'one' ? 'absent' : <Value value={one} />),
  },
  {
    id: 'other',
    title: 'Other',
    cell: ({ other, absent_in: side }) => (side === 'other' ? 'absent' : <Value value={other} />),
  },
];

function Value({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value);
  return <code>{text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text}</code>;
}
