import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { Button } from '../../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../../ui/controls/dialog.tsx';
import { TextArea } from '../../../ui/controls/field.tsx';
import { type Column, DataTable } from '../../../ui/data/data-table.tsx';
import { CallHint } from '../../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../../ui/feedback/states.tsx';
import { describeOtherwise } from '../deadline.tsx';
import type { Approval } from '../read-approvals.ts';
import { decideMany, type Decision, type Refused, type Report, rowKey } from './decide-many.ts';

/** Decides several approvals at once, with one reason; what it shows is what it decides. */
export function DecideManyDialog({
  approvals,
  onDone,
  onClose,
}: {
  /** As they were chosen: they don't change while the dialog is open. */
  readonly approvals: readonly Approval[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [comment, setComment] = useState('');
  const [decided, setDecided] = useState<Decision | null>(null);
  const decide = useMutation({
    mutationFn: (decision: Decision) => {
      setDecided(decision);
      return decideMany({ approvals, decision, comment });
    },
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals'] }),
  });
  return (
    <Dialog open wide onClose={onClose} title={`Decide ${approvals.length} approvals`}>
      {decide.data === undefined ? (
        <>
          <DataTable label="What is asked" rows={approvals} rowKey={rowKey} columns={COLUMNS} />
          <TextArea
            label="Reason"
            rows={2}
            value={comment}
            hint="Recorded as the comment of each decision."
            onChange={(event) => setComment(event.target.value)}
          />
          <ActionError error={decide.error} />
          <CallHint command="svc approval decide … --yes" request="POST /approvals/decide" />
          <DialogActions>
            <Button onClick={onClose}>Decide nothing</Button>
            <Button kind="danger" busy={decide.isPending} onClick={() => decide.mutate('rejected')}>
              Reject {approvals.length}
            </Button>
            <Button
              kind="primary"
              busy={decide.isPending}
              onClick={() => decide.mutate('approved')}
            >
              Approve {approvals.length}
            </Button>
          </DialogActions>
        </>
      ) : (
        <Result report={decide.data} decision={decided} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Result({
  report,
  decision,
  onClose,
}: {
  readonly report: Report;
  readonly decision: Decision | null;
  readonly onClose: () => void;
}) {
  return (
    <>
      <p role="status">
        {report.done} {decision}, {report.refused.length} refused.
      </p>
      {report.refused.length === 0 ? null : (
        <DataTable
          label="Refused"
          rows={report.refused}
          rowKey={({ approval }) => rowKey(approval)}
          columns={REFUSALS}
        />
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </>
  );
}

const COLUMNS: readonly Column<Approval>[] = [
  { id: 'asked', title: 'Asked', cell: (row) => row.description ?? row.node_id },
  { id: 'workflow', title: 'Workflow', cell: (row) => row.workflow_id },
  { id: 'execution', title: 'Execution', cell: (row) => <code>{row.execution_id}</code> },
  {
    id: 'content',
    title: 'Content',
    cell: ({ shown }) => (shown === null ? 'none' : <code>{JSON.stringify(shown)}</code>),
  },
  {
    id: 'otherwise',
    title: 'After a rejection',
    cell: ({ otherwise }) => describeOtherwise(otherwise),
  },
];

const REFUSALS: readonly Column<Refused>[] = [
  { id: 'execution', title: 'Execution', cell: (row) => <code>{row.approval.execution_id}</code> },
  { id: 'node', title: 'Node', cell: (row) => row.approval.node_id },
  { id: 'error', title: 'Refused because', cell: (row) => row.error },
];
