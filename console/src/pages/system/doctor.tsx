import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { call, type ReplyOf } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge, type Tone } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

type Diagnosis = ReplyOf<'examine-system'>;
type Check = Diagnosis['checks'][number];
type Stuck = Diagnosis['stuck_executions'][number];

const TONES: Readonly<Record<Check['verdict'], Tone>> = {
  ok: 'ok',
  warn: 'wait',
  fail: 'bad',
  skipped: 'idle',
};
const WORST_FIRST: readonly Check['verdict'][] = ['fail', 'warn', 'ok', 'skipped'];

/** The checks of `svc doctor`, when somebody asks for them: they read more than a page may. */
export function Doctor() {
  const examining = useMutation({ mutationFn: () => call('examine-system') });
  const diagnosis = examining.data;
  return (
    <Panel
      title="Doctor"
      actions={
        <Button kind="primary" busy={examining.isPending} onClick={() => examining.mutate()}>
          Run the checks
        </Button>
      }
    >
      <p role="status">{examining.isPending ? 'Looking…' : tell(diagnosis)}</p>
      <ActionError error={examining.error} />
      {diagnosis === undefined ? null : (
        <>
          <DataTable
            label="Checks"
            rows={diagnosis.checks.toSorted((one, other) => rank(one) - rank(other))}
            rowKey={({ name }) => name}
            columns={CHECK_COLUMNS}
          />
          {diagnosis.stuck_executions.length === 0 ? null : (
            <DataTable
              label="Executions that do not move"
              rows={diagnosis.stuck_executions}
              rowKey={({ execution_id: id }) => id}
              columns={STUCK_COLUMNS}
            />
          )}
        </>
      )}
      <CallHint command="svc doctor" request="GET /system/doctor" />
    </Panel>
  );
}

function rank({ verdict }: Check): number {
  return WORST_FIRST.indexOf(verdict);
}

function tell(diagnosis: Diagnosis | undefined): string {
  if (diagnosis === undefined) return 'Checks the database, the processes, the queues and more.';
  const count = (wanted: Check['verdict']) =>
    diagnosis.checks.filter(({ verdict }) => verdict === wanted).length;
  const warnings = count('warn');
  return `${count('fail')} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${count('ok')} in order`;
}

const CHECK_COLUMNS: readonly Column<Check>[] = [
  {
    id: 'verdict',
    title: 'Verdict',
    cell: ({ verdict }) => <Badge tone={TONES[verdict]}>{verdict}</Badge>,
  },
  { id: 'name', title: 'Check', cell: ({ name }) => name },
  { id: 'seen', title: 'Seen', cell: ({ seen }) => seen },
  { id: 'advice', title: 'What to do', cell: ({ advice }) => advice ?? '–' },
];

const STUCK_COLUMNS: readonly Column<Stuck>[] = [
  {
    id: 'execution',
    title: 'Execution',
    cell: ({ execution_id: id }) => (
      <Link to="/executions/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  { id: 'tenant', title: 'Tenant', cell: ({ tenant_id: id }) => id },
  { id: 'why', title: 'Why', cell: ({ message }) => message },
  {
    id: 'since',
    title: 'Since',
    cell: ({ since }) => (since === null ? '–' : <Time at={since} />),
  },
  { id: 'unblock', title: 'What to do', cell: ({ unblocked_by: advice }) => advice },
];
