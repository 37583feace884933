import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { call, type ReplyOf } from '../../api/client.ts';
import { Dialog } from '../../ui/controls/dialog.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { LongText } from '../../ui/data/long-text.tsx';
import { nameVisit } from '../../ui/data/name-visit.ts';
import { Time } from '../../ui/data/time.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { Stack } from '../../ui/layout/stack.tsx';

type Letter = ReplyOf<'read-dead-letter'>;

/** One dead letter with its input and its failures, and why an action would be refused. */
export function LetterDialog({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}) {
  const query = useQuery({
    queryKey: ['dead-letters', 'one', id],
    queryFn: ({ signal }) => call('read-dead-letter', { path: { id }, signal }),
  });
  return (
    <Dialog open onClose={onClose} title="Dead letter" wide>
      <ReadingContent query={query}>{(letter) => <Details letter={letter} />}</ReadingContent>
    </Dialog>
  );
}

function Details({ letter }: { readonly letter: Letter }) {
  const { id, execution_id: executionId, undoes, actions, failures } = letter;
  return (
    <Stack>
      <Facts
        facts={[
          [
            'Execution',
            <Link key="execution" to="/executions/$id" params={{ id: executionId }}>
              {executionId}
            </Link>,
            'wide',
          ],
          ['Status', letter.execution_status],
          ['Workflow', letter.workflow_id],
          ['Node', nameVisit(letter)],
          ['Tool', <code key="tool">{letter.tool}</code>],
          ['Attempts', `${letter.attempt + 1} of ${letter.max_attempts}`],
          ['When', <Time key="at" at={letter.dead_lettered_at} />],
          ['Error', <LongText key="error" text={letter.error} />, 'wide'],
          ['Requeue', tellAction(actions.requeue), 'wide'],
          ['Give up', tellAction(actions.give_up), 'wide'],
        ]}
      />
      <h3>Input</h3>
      <Shown label="Input of the item" isHidden={letter.omitted.length > 0} value={letter.input} />
      {undoes === null ? null : (
        <>
          <h3>Output of {nameVisit(undoes)}, which it is to undo</h3>
          <Shown
            label={`Output of ${undoes.node_id}`}
            isHidden={undoes.omitted.includes('output')}
            value={undoes.output}
          />
        </>
      )}
      {failures.length === 0 ? null : (
        <DataTable
          label="Failed attempts"
          columns={FAILURES}
          rows={failures}
          rowKey={({ attempt, failed_at: at }) => `${attempt} ${at}`}
        />
      )}
      <CallHint command={`svc work-item show ${id}`} request={`GET /work-items/${id}`} />
    </Stack>
  );
}

function tellAction({ reason }: { readonly reason: string | null }): string {
  return reason === null ? 'is possible' : `is not possible: ${reason}`;
}

function Shown({
  label,
  isHidden,
  value,
}: {
  readonly label: string;
  readonly isHidden: boolean;
  readonly value: unknown;
}) {
  return isHidden ? <p>A data policy hides it.</p> : <JsonView label={label} value={value} />;
}

const FAILURES: readonly Column<Letter['failures'][number]>[] = [
  { id: 'attempt', title: 'Attempt', numeric: true, cell: ({ attempt }) => attempt + 1 },
  { id: 'at', title: 'Failed', cell: ({ failed_at: at }) => <Time at={at} /> },
  { id: 'worker', title: 'Worker', cell: ({ worker_id: worker }) => worker ?? 'none' },
  { id: 'error', title: 'Error', cell: ({ error }) => <LongText text={error} /> },
];
