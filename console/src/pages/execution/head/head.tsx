import { Link } from '@tanstack/react-router';

import { Badge, StatusBadge } from '../../../ui/data/badge.tsx';
import { Copyable } from '../../../ui/data/copyable.tsx';
import { LongText } from '../../../ui/data/long-text.tsx';
import { AbsoluteTime, DurationText } from '../../../ui/data/time.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { Facts, Panel } from '../../../ui/layout/panel.tsx';
import type { Followed } from '../live/follow-sequence.ts';
import { ExecutionActions } from './actions.tsx';
import { CompareLink } from './compare-link.tsx';
import { Labels } from './labels.tsx';
import { Lineage } from './lineage.tsx';
import type { Execution } from './types.ts';

/** Which execution this is, how it stands, what it has used, and what can be done with it. */
export function Head({
  execution,
  followed,
}: {
  readonly execution: Execution;
  readonly followed: Followed;
}) {
  const { execution_id: id, usage, pauses } = execution;
  return (
    <>
      <PageHeader
        title={execution.workflow_id}
        about={
          <>
            <StatusBadge status={shownStatus(execution)} /> <LiveBadge followed={followed} />{' '}
            <Copyable text={id} label="execution id" shorten />
          </>
        }
      >
        <ExecutionActions execution={execution} />
      </PageHeader>
      <Panel title="Overview" actions={<CompareLink one={id} other={null} />}>
        <Facts
          facts={[
            [
              'Workflow',
              <Link key="workflow" to="/workflows/$id" params={{ id: execution.workflow_id }}>
                {execution.workflow_id} {execution.workflow_version}
              </Link>,
            ],
            ['Started', <AbsoluteTime key="started" at={execution.created_at} />],
            [
              'Duration',
              <DurationText
                key="duration"
                from={execution.created_at}
                to={execution.completed_at}
              />,
            ],
            ['Nodes completed', execution.steps_executed],
            ['Tokens', `${usage.input_tokens} in, ${usage.output_tokens} out`],
            ['Cost', `$${usage.cost_usd.toFixed(4)}`],
            ...(Object.keys(execution.labels).length === 0
              ? []
              : [['Labels', <Labels key="labels" labels={execution.labels} />, 'wide'] as const]),
            ...(execution.waiting_for === null
              ? []
              : [
                  [
                    'Waits for',
                    <Wait key="wait" waitingFor={execution.waiting_for} />,
                    'wide',
                  ] as const,
                ]),
            ...(pauses.length === 0
              ? []
              : [['Paused', pauses.map(describePause).join('; '), 'wide'] as const]),
            ...longFact('Ends as', tellEnding(execution)),
            ...longFact('Undo', tellUndo(execution)),
            ...longFact('Error', execution.error),
          ]}
        />
        <Lineage execution={execution} seen={followed.seen ?? 0} />
      </Panel>
    </>
  );
}

/** As in the list of executions: one that waits has not begun. */
function shownStatus({ status, waiting_for: waitingFor }: Execution): string {
  return status === 'running' && waitingFor !== null ? 'waiting' : status;
}

/** The place that it waits for before it begins. */
function Wait({
  waitingFor: { kind, key, since, until },
}: {
  readonly waitingFor: NonNullable<Execution['waiting_for']>;
}) {
  const of = key === null ? '' : `, key ${key}`;
  const at =
    until === null ? (
      ''
    ) : (
      <>
        {' '}
        at <AbsoluteTime at={until} />
      </>
    );
  switch (kind) {
    case 'start_after':
      return <>its start{at}</>;
    case 'debounce':
      return (
        <>
          a newer start{of}; it begins{at} unless one comes
        </>
      );
    case 'batch':
      return (
        <>
          further starts of its batch{of}, which closes{at} or when it is full
        </>
      );
    case 'rate':
      return (
        <>
          its turn by the rate{of}, since <AbsoluteTime at={since} />
        </>
      );
    case 'concurrency':
    case 'max_concurrent_executions':
      return (
        <>
          a place of {kind === 'concurrency' ? 'its concurrency' : 'its tenant'}
          {of}, since <AbsoluteTime at={since} />
        </>
      );
  }
}

/** No fact, where there is no text. */
function longFact(title: string, text: string | null) {
  return text === null ? [] : [[title, <LongText key={title} text={text} />, 'wide'] as const];
}

/** With its first cause; null: no undo or finalizer holds its end up. */
function tellEnding({ ending, failure }: Execution): string | null {
  if (ending === null) return null;
  if (failure === null) return ending.outcome;
  return `${ending.outcome}: ${failure.error} (${failure.error_class})`;
}

/** Null: the execution has not begun to undo its steps. */
function tellUndo({ undo, ending }: Execution): string | null {
  if (undo === null) return null;
  const { pending, undone, not_undone: failed } = undo;
  if (ending === null && undone === 0 && failed.length === 0) return null;
  const left = pending === 0 ? [] : [`${pending} to undo`];
  const lost = failed.map(
    ({ node_id: node, visit, error }) => `${node} (visit ${visit}): ${error}`,
  );
  const not = lost.length === 0 ? [] : [`not undone: ${lost.join('; ')}`];
  return [`${undone} undone`, ...left, ...not].join(', ');
}

function describePause({ scope, actor_id: by, reason }: Execution['pauses'][number]): string {
  const what = scope === 'workflow' ? 'with its workflow' : 'alone';
  return `${what}, by ${by}${reason === null ? '' : `: ${reason}`}`;
}

function LiveBadge({ followed }: { readonly followed: Followed }) {
  switch (followed.connection) {
    case 'opening':
      return <Badge tone="idle">connecting</Badge>;
    case 'live':
      return <Badge tone="ok">live</Badge>;
    case 'lost':
      return <Badge tone="bad">connection lost, catching up</Badge>;
    case 'ended':
      return <Badge tone="idle">complete</Badge>;
    case 'refused':
      return <Badge tone="bad">not followed</Badge>;
    default:
      throw new Error(`unknown connection ${followed.connection satisfies never as string}`);
  }
}
