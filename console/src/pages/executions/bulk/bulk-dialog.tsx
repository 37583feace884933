import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { newKey } from '../../../api/new-key.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../../ui/controls/dialog.tsx';
import { TextField } from '../../../ui/controls/field.tsx';
import { StatusBadge } from '../../../ui/data/badge.tsx';
import { type Column, DataTable } from '../../../ui/data/data-table.tsx';
import { AbsoluteTime } from '../../../ui/data/time.tsx';
import { CallHint } from '../../../ui/feedback/call-hint.tsx';
import { ActionError, Loading } from '../../../ui/feedback/states.tsx';
import {
  actOnPreview,
  type Action,
  type Outcome,
  type Preview,
  previewAction,
  type Report,
  type Target,
} from './act-on-executions.ts';

const SHOWN = 50;

/** Shows what an action hits, asks for its name, and says what became of it. */
export function BulkDialog({
  action,
  target,
  onDone,
  onClose,
}: {
  readonly action: Action;
  readonly target: Target;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const [id] = useState(() => newKey());
  // It is read once: the preview stays what the action hits.
  const preview = useQuery({
    queryKey: ['bulk-preview', id],
    queryFn: () => previewAction(action, target),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const [report, setReport] = useState<Report | null>(null);
  return (
    <Dialog open wide onClose={onClose} title={`${action} executions`}>
      {preview.data === undefined ? (
        <>
          {preview.error === null ? <Loading label="Reading what it hits…" /> : null}
          <ActionError error={preview.error} />
        </>
      ) : null}
      {report !== null ? <Result action={action} report={report} onClose={onClose} /> : null}
      {preview.data !== undefined && report === null ? (
        <Confirmation
          {...{ action, target, onClose }}
          preview={preview.data}
          onReport={(result) => {
            setReport(result);
            onDone();
          }}
        />
      ) : null}
    </Dialog>
  );
}

function Confirmation({
  action,
  target,
  preview,
  onReport,
  onClose,
}: {
  readonly action: Action;
  readonly target: Target;
  readonly preview: Preview;
  readonly onReport: (report: Report) => void;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [done, setDone] = useState(0);
  const act = useMutation({
    mutationFn: () => actOnPreview({ action, target, preview, reason, onProgress: setDone }),
    onSuccess: onReport,
  });
  const total = preview.total ?? 0;
  const count = `${preview.total_is_exact ? '' : 'more than '}${total.toLocaleString('en')}`;
  if (total === 0) {
    return (
      <>
        <p>No execution is in a state to {action}.</p>
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      </>
    );
  }
  return (
    <form
      style={{ display: 'contents' }}
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === action) act.mutate();
      }}
    >
      <p>
        This acts on <strong>{count}</strong> executions as they are now; executions that start
        later are not hit.
        {total > SHOWN ? ` The first ${SHOWN} of them:` : ''}
      </p>
      <Outcomes label="What it hits" rows={preview.results.slice(0, SHOWN)} />
      {action === 'pause' ? (
        <TextField
          label="Reason"
          value={reason}
          maxLength={1_000}
          onChange={(event) => setReason(event.target.value)}
        />
      ) : null}
      <TextField
        label={`Type ${action} to confirm`}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <CallHint
        command={`svc execution bulk ${action} -q '…' --yes`}
        request="POST /executions/bulk"
      />
      <ActionError error={act.error} />
      {act.isPending ? <p role="status">{done} done so far…</p> : null}
      <DialogActions>
        <Button onClick={onClose}>Keep them</Button>
        <Button
          kind={action === 'cancel' ? 'danger' : 'primary'}
          type="submit"
          disabled={typed !== action}
          busy={act.isPending}
        >
          {action} {count} executions
        </Button>
      </DialogActions>
    </form>
  );
}

function Result({
  action,
  report,
  onClose,
}: {
  readonly action: Action;
  readonly report: Report;
  readonly onClose: () => void;
}) {
  return (
    <>
      <p role="status">
        {action}: {report.done} done, {report.refused.length} refused.
      </p>
      {report.refused.length > 0 ? (
        <Outcomes label="Refused" rows={report.refused.slice(0, SHOWN)} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </>
  );
}

function Outcomes({ label, rows }: { readonly label: string; readonly rows: readonly Outcome[] }) {
  const hasErrors = rows.some(({ error }) => error !== null);
  return (
    <DataTable
      label={label}
      rows={rows}
      rowKey={({ execution_id: id }) => id}
      columns={hasErrors ? [...COLUMNS, REFUSAL] : COLUMNS}
    />
  );
}

const COLUMNS: readonly Column<Outcome>[] = [
  { id: 'id', title: 'Execution', cell: (row) => <code>{row.execution_id}</code> },
  { id: 'workflow', title: 'Workflow', cell: (row) => row.workflow_id },
  { id: 'status', title: 'Status', cell: (row) => <StatusBadge status={row.status} /> },
  { id: 'started', title: 'Started', cell: (row) => <AbsoluteTime at={row.created_at} /> },
];
const REFUSAL: Column<Outcome> = {
  id: 'error',
  title: 'Refused because',
  cell: (row) => row.error,
};
