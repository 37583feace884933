import { Link } from '@tanstack/react-router';
import { useState } from 'react';

import { call } from '../../../api/client.ts';
import { useSession } from '../../../app/session.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Badge } from '../../../ui/data/badge.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { ActionError } from '../../../ui/feedback/states.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import type { Selection } from '../selection.ts';
import { ResumeButton } from './actions.tsx';
import styles from './head.module.css';
import { SendEventDialog } from './send-event-dialog.tsx';
import type { Blocker, Execution, Explanation } from './types.ts';
import { useAction } from './use-action.ts';
import { WaitRemedy } from './wait-remedy.tsx';

/** Blockers on the page; the answer names up to 100. */
const SHOWN_MAX = 10;

interface WhyProps {
  readonly explanation: Explanation;
  readonly execution: Execution;
  readonly selection: Selection;
}

/** Why the execution does not move, or how it ended, with what would move it on. */
export function Why(props: WhyProps) {
  const [sendingKey, setSendingKey] = useState<string | null>(null);
  return (
    <>
      <Reasons {...props} onSend={setSendingKey} />
      {/* Here, so that the form outlives the reason that it was opened for. */}
      {sendingKey === null ? null : (
        <SendEventDialog
          id={props.explanation.execution_id}
          correlationKey={sendingKey}
          onClose={() => setSendingKey(null)}
        />
      )}
    </>
  );
}

function Reasons({
  explanation,
  execution,
  selection,
  onSend,
}: WhyProps & { readonly onSend: (correlationKey: string) => void }) {
  const { blockers, ended, moving } = explanation;
  if (ended !== null) {
    return (
      <Panel title="How it ended">
        <p className={styles.reason}>{ended.message}</p>
        {ended.node_id === null ? null : (
          <Button onClick={() => selection.select({ node: ended.node_id })}>
            Show node {ended.node_id}
          </Button>
        )}
        {ended.continued_as === null ? null : (
          <Link to="/executions/$id" params={{ id: ended.continued_as }}>
            Open the run that continues it
          </Link>
        )}
      </Panel>
    );
  }
  return (
    <Panel title={moving ? 'What it does now' : 'Why it does not move'}>
      <ul className={styles.blockers}>
        {blockers.slice(0, SHOWN_MAX).map((blocker, index) => (
          <li key={`${blocker.code} ${blocker.node_id} ${blocker.visit} ${index}`}>
            <Badge tone={blocker.moving ? 'run' : 'wait'}>
              {blocker.code.replaceAll('_', ' ')}
            </Badge>
            <span className={styles.reason}>
              {blocker.message}
              {blocker.since === null ? null : (
                <>
                  , since <Time at={blocker.since} />
                </>
              )}
              {blocker.code === 'waiting_for_place' && blocker.until !== null ? (
                <>
                  , until <Time at={blocker.until} />
                </>
              ) : null}
            </span>
            <Remedy execution={execution} blocker={blocker} onSend={onSend} />
          </li>
        ))}
      </ul>
      {explanation.blockers_total > SHOWN_MAX ? (
        <p>{explanation.blockers_total - SHOWN_MAX} more</p>
      ) : null}
    </Panel>
  );
}

function Remedy({
  execution: { execution_id: id, workflow_id: workflowId, waiting_for: waitingFor },
  blocker,
  onSend,
}: {
  readonly execution: Execution;
  readonly blocker: Blocker;
  readonly onSend: (correlationKey: string) => void;
}) {
  const { can } = useSession();
  // Each held work item has this reason too; one resume releases them all.
  if (
    blocker.code === 'paused_by_operator' &&
    blocker.node_id === null &&
    can('POST', '/executions/:id/resume')
  ) {
    return <ResumeButton id={id} />;
  }
  if (blocker.code === 'workflow_paused') {
    return (
      <Link to="/workflows/$id" params={{ id: workflowId }}>
        Open the workflow to resume it
      </Link>
    );
  }
  if (blocker.code === 'awaiting_event' && can('POST', '/executions/:id/external-event')) {
    const key = blocker.correlation_key ?? '';
    return <Button onClick={() => onSend(key)}>Send event {key}</Button>;
  }
  if (
    blocker.code === 'dead_lettered' &&
    blocker.work_item_id !== undefined &&
    can('POST', '/work-items/:id/requeue')
  ) {
    return <RequeueButton workItemId={blocker.work_item_id} />;
  }
  if (blocker.child_execution_id !== undefined) {
    return (
      <Link to="/executions/$id" params={{ id: blocker.child_execution_id }}>
        Open child execution
      </Link>
    );
  }
  if (ASKS_A_PERSON.includes(blocker.code)) {
    return (
      <span className={styles.note}>
        {can('POST', '/executions/:id/approve')
          ? 'You can decide it below.'
          : 'Somebody else must decide: your role may not.'}
      </span>
    );
  }
  if (blocker.code === 'waiting_for_place') {
    return <WaitRemedy blocker={blocker} waitingFor={waitingFor} />;
  }
  if (blocker.code.startsWith('no_worker')) {
    return (
      <span>
        Unblocked by {blocker.unblocked_by}. <Link to="/workers">Show the workers</Link>
      </span>
    );
  }
  return <UnblockedBy remedy={blocker.unblocked_by} />;
}

const ASKS_A_PERSON: readonly string[] = ['awaiting_approval', 'budget_used_up'];

/** A request is for those who write programs, so it is out of the way of others. */
function UnblockedBy({ remedy }: { readonly remedy: string }) {
  if (!REQUEST.test(remedy)) return <span className={styles.note}>Unblocked by {remedy}</span>;
  return (
    <details className={styles.note}>
      <summary>By command or request</summary>
      {remedy}
    </details>
  );
}

const REQUEST = /^(?:POST|PUT|DELETE) /;

function RequeueButton({ workItemId }: { readonly workItemId: string }) {
  const requeue = useAction('Put the item back on its queue', () =>
    call('requeue-work-item', { path: { id: workItemId } }),
  );
  return (
    <>
      <Button busy={requeue.isPending} onClick={() => requeue.mutate()}>
        Requeue work item
      </Button>
      <ActionError error={requeue.error} />
    </>
  );
}
