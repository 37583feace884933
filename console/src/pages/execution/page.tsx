import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';

import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { Loading } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { EventsPane } from './events/events-pane.tsx';
import { Approvals } from './head/approvals.tsx';
import { Head } from './head/head.tsx';
import { type Execution, type Explanation, hasEnded } from './head/types.ts';
import { Why } from './head/why.tsx';
import type { Followed } from './live/follow-sequence.ts';
import { useFollowed } from './live/use-followed.ts';
import { readWorkPlaces, type WorkPlaces } from './live/work-places.ts';
import { NodesPane } from './nodes/nodes-pane.tsx';
import styles from './page.module.css';
import { type Selection, useSelection } from './selection.ts';
import { StatePane } from './state/state-pane.tsx';
import { TimelinePane } from './timeline/timeline-pane.tsx';
import { useReading } from './use-reading.ts';

/** A claim of a worker leaves no event to follow. */
const CLAIMS_MS = 3_000;

/** One execution in four panes that move together: nodes, timeline, events and state. */
export function ExecutionPage() {
  const { id = '' } = useParams({ strict: false });
  return <OneExecution key={id} id={id} />;
}

function OneExecution({ id }: { readonly id: string }) {
  const followed = useFollowed(id);
  const selection = useSelection();
  const { seen } = followed;
  const head = useReading('read-execution', {
    key: [seen],
    params: { path: { id }, query: { view: 'head' } },
  });
  const execution = head.data;
  const why = useReading('explain-execution', {
    key: [seen],
    params: { path: { id } },
    everyMs: execution === undefined || hasEnded(execution) ? undefined : CLAIMS_MS,
  });
  const explanation = why.data;
  const places = useMemo(
    () => (explanation === undefined ? null : readWorkPlaces(explanation)),
    [explanation],
  );
  return (
    <>
      {execution === undefined ? <PageHeader title="Execution" /> : null}
      <ReadingContent query={head} loading="Reading the execution…">
        {(read) => (
          <Content
            {...{ id, followed, selection, places }}
            execution={read}
            explanation={explanation}
          />
        )}
      </ReadingContent>
    </>
  );
}

function Content({
  id,
  execution,
  explanation,
  followed,
  selection,
  places,
}: {
  readonly id: string;
  readonly execution: Execution;
  /** Undefined: it is being read. */
  readonly explanation: Explanation | undefined;
  readonly followed: Followed;
  readonly selection: Selection;
  readonly places: WorkPlaces | null;
}) {
  const { seen } = followed;
  const startedAt = execution.created_at;
  const workflow = { id: execution.workflow_id, version: execution.workflow_version };
  return (
    <div className={styles.page}>
      <Head execution={execution} followed={followed} />
      {explanation === undefined ? null : (
        <Why explanation={explanation} execution={execution} selection={selection} />
      )}
      {seen === null || explanation === undefined ? null : (
        <Approvals id={id} seen={seen} isAsked={asksPerson(explanation)} />
      )}
      {seen === null ? (
        <Loading label="Reading the history…" />
      ) : (
        <div className={styles.panes}>
          <NodesPane {...{ id, seen, workflow, selection, places }} />
          <TimelinePane {...{ id, seen, selection, places }} />
          <EventsPane {...{ id, seen, startedAt, selection }} />
          <StatePane {...{ id, seen, selection }} />
        </div>
      )}
    </div>
  );
}

function asksPerson({ blockers }: Explanation): boolean {
  return blockers.some(({ code }) => code === 'awaiting_approval' || code === 'budget_used_up');
}
