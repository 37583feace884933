import { Link } from '@tanstack/react-router';

import { quoteText } from '../../../../src/shared/domain/execution/query/quote-text.ts';
import { Button } from '../../ui/controls/button.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { DurationText, Time } from '../../ui/data/time.tsx';
import { COLUMNS, type ColumnId } from './columns.ts';
import type { Execution } from './read-executions.ts';
import styles from './execution-row.module.css';

/** One execution of the list. */
export function ExecutionRow({
  row,
  columns,
  isSelected,
  onSelect,
  onNarrow,
}: {
  readonly row: Execution;
  readonly columns: readonly ColumnId[];
  readonly isSelected: boolean;
  /** Null: the role may act on no execution. */
  readonly onSelect: ((isSelected: boolean) => void) | null;
  /** Adds a condition to the query. */
  readonly onNarrow: (condition: string) => void;
}) {
  const { execution_id: id } = row;
  return (
    <div className={styles.row} style={{ gridTemplateColumns: templateOf(columns, onSelect) }}>
      {onSelect === null ? null : (
        <span className={styles.check}>
          <input
            type="checkbox"
            aria-label={`Select ${id}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        </span>
      )}
      <span className={styles.cell}>
        <StatusBadge status={waitOf(row) === null ? row.status : 'waiting'} />
      </span>
      <span className={styles.cell}>
        <Link to="/executions/$id" params={{ id }} className={styles.link}>
          <span className={styles.name} title={row.workflow_id}>
            {row.workflow_id}
          </span>{' '}
          <code className={styles.id}>{shorten(id)}</code>
        </Link>
      </span>
      {columns.map((column) => (
        <span key={column} className={styles.cell}>
          <Cell row={row} column={column} onNarrow={onNarrow} />
        </span>
      ))}
    </div>
  );
}

/** The names of the columns, above the rows. */
export function RowHeader({
  columns,
  hasChecks,
}: {
  readonly columns: readonly ColumnId[];
  readonly hasChecks: boolean;
}) {
  return (
    <div
      aria-hidden="true"
      className={styles.header}
      style={{ gridTemplateColumns: templateOf(columns, hasChecks ? [] : null) }}
    >
      {hasChecks ? <span /> : null}
      <span>Status</span>
      <span>Execution</span>
      {columns.map((column) => (
        <span key={column}>{COLUMNS.find(({ id }) => id === column)?.title}</span>
      ))}
    </div>
  );
}

function Cell({
  row,
  column,
  onNarrow,
}: {
  readonly row: Execution;
  readonly column: ColumnId;
  readonly onNarrow: (condition: string) => void;
}) {
  switch (column) {
    case 'version':
      return <>{row.workflow_version}</>;
    case 'started':
      return <Time at={row.created_at} />;
    case 'duration':
      return <DurationText from={row.created_at} to={row.completed_at} />;
    case 'ended':
      return row.completed_at === null ? <>–</> : <Time at={row.completed_at} />;
    case 'wait': {
      const wait = waitOf(row);
      return wait === null ? <>{approvalOf(row)}</> : <Wait waitingFor={wait} />;
    }
    case 'parent':
      if (row.parent_execution_id === null) return <>–</>;
      return (
        <Link to="/executions/$id" params={{ id: row.parent_execution_id }}>
          <code>{shorten(row.parent_execution_id)}</code>
        </Link>
      );
    case 'labels': {
      const text = Object.entries(row.labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(', ');
      return <span title={text}>{text}</span>;
    }
    case 'class': {
      const { error_class: errorClass } = row;
      if (errorClass === null) return <></>;
      return (
        <Button
          kind="quiet"
          aria-label={`Show executions that failed with ${errorClass}`}
          onClick={() => onNarrow(`error_class = ${quoteText(errorClass)}`)}
        >
          {errorClass}
        </Button>
      );
    }
    case 'node':
      return <>{row.error_node_id ?? ''}</>;
    case 'error':
      return <span title={row.error ?? undefined}>{row.error ?? ''}</span>;
  }
}

const WIDTHS: Partial<Record<ColumnId, string>> = {
  wait: 'minmax(8rem, 2fr)',
  error: 'minmax(8rem, 2fr)',
};

/** Null: the execution has begun, or is paused before it begins. */
function waitOf({ status, waiting_for: waitingFor }: Execution): Execution['waiting_for'] {
  return status === 'running' ? waitingFor : null;
}

function approvalOf({ awaiting_approval: approval }: Execution): string {
  const name = approval?.step ?? approval?.node_id;
  return name === undefined ? '' : `approval of ${name}`;
}

const WAITS: Readonly<Record<string, string>> = {
  start_after: 'its start',
  debounce: 'a newer start',
  batch: 'its batch',
  rate: 'its rate',
  concurrency: 'a place',
  max_concurrent_executions: 'a place of the tenant',
};

/** As short as a row allows; the page of the execution says more. */
function Wait({
  waitingFor: { kind, key, until },
}: {
  readonly waitingFor: NonNullable<Execution['waiting_for']>;
}) {
  const text = `${WAITS[kind] ?? kind}${key === null ? '' : `, key ${key}`}`;
  return (
    <span title={text}>
      {text}
      {until === null ? null : (
        <>
          , <Time at={until} />
        </>
      )}
    </span>
  );
}

function templateOf(columns: readonly ColumnId[], checks: unknown): string {
  const own = columns.map((column) => WIDTHS[column] ?? '8rem');
  return [checks === null ? '' : '2rem', '6rem', 'minmax(12rem, 2fr)', ...own].join(' ');
}

function shorten(id: string): string {
  return `…${id.slice(-8)}`;
}
