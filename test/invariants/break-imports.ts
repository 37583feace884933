import { addDeed, addExecution, deedOf, eventOf } from './break-forks.ts';
import type { ExampleRun } from './example-run.ts';
import type { DocumentOf } from './history.ts';

const COPY = 'exec_20';
export const BACK = 'exec_21';
const STORY = [
  ['WorkflowStarted', null, { input: { token: 'amber~elsewhere' } }],
  ['NodeScheduled', 'a', { visit: 0, work_item_id: 'i20', idempotency_key: 'k20' }],
  ['WorkflowCompleted', null, {}],
] as const;

/** An execution that ran elsewhere, and one that an import brought back after its removal. */
export function addImports(run: ExampleRun): ExampleRun {
  for (const [id, retirementId] of [
    [COPY, null],
    [BACK, 'r1'],
  ] as const) {
    addExecution(run.last, id, STORY);
    const document: DocumentOf = {
      sha256: `document of ${id}`,
      status: 'completed',
      events: shownIn(run, id),
    };
    const record = {
      execution_id: id,
      tenant_id: 'amber',
      imported_by: 'token:forker',
      imported_at: 2_500,
      document_sha256: document.sha256,
      retirement_id: retirementId,
    };
    run.last.imported_executions = [...(run.last.imported_executions ?? []), record];
    run.last.audit_log.push({
      tenant_id: 'amber',
      execution_id: id,
      event_type: 'execution_imported',
      actor_id: 'token:forker',
      payload: { document_sha256: document.sha256, takes_back: retirementId },
    });
    const isCopy = retirementId === null;
    addDeed(
      run,
      { do: 'import', of: id, isCopy, isSound: true, document },
      { execution_id: id, status: 'completed', events: STORY.length, imported: true },
    );
  }
  run.last.retired_executions = [{ execution_id: BACK }];
  run.last.audit_log.push({
    tenant_id: 'amber',
    execution_id: null,
    event_type: 'executions_retired',
    actor_id: 'system:scheduler',
    payload: { executions: 1 },
  });
  addDeed(run, { do: 'read_events', executionId: COPY }, { events: shownIn(run, COPY) });
  addDeed(run, { do: 'export', executionId: 'exec_3' }, { events: shownIn(run, 'exec_3') });
  return run;
}

export function shownIn({ last }: ExampleRun, id: string): DocumentOf['events'] {
  const story = last.events.filter((event) => event.execution_id === id);
  return story.map(({ sequence, kind, node_id, payload, actor_id, created_at: at }) => ({
    ...structuredClone({ sequence, kind, node_id, payload, actor_id }),
    created_at: new Date(at).toISOString(),
  }));
}

/** By rule: a function that breaks it. */
export const IMPORTS_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'an imported execution matches its document': (run) =>
    void (eventOf(run, COPY, 2).actor_id = 'token:another'),
  'an import begins nothing': ({ last }) =>
    void last.timers.push({ execution_id: COPY, tenant_id: 'amber', name: 't', purpose: 'wait' }),
  'an imported execution is on record': ({ last }) => void (last.imported_executions = []),
  'an execution is imported once, and again only after a removal': ({ last }) => {
    const records = last.imported_executions ?? [];
    last.imported_executions = [...records, ...structuredClone(records.slice(-1))];
  },
  'an import is one entry of the audit log': ({ last }) => void last.audit_log.splice(-2, 1),
  'an import was asked for': ({ last }) =>
    void Object.assign(last.imported_executions?.[0] ?? {}, { document_sha256: 'another' }),
  'an import of what ran elsewhere is accepted': (run) => {
    const { asks, answer } = deedOf(run, 'import');
    addDeed(run, asks, answer?.body ?? {});
    Object.assign(run.deeds.at(-1)?.answer ?? {}, { status: 409 });
  },
  'an import is carried out as often as it was answered': (run) => {
    const { asks, answer } = deedOf(run, 'import');
    addDeed(run, asks, answer?.body ?? {});
  },
  'an import of something that did not happen is refused': (run) =>
    void Object.assign(deedOf(run, 'import').asks, { isSound: false }),
  'an import is answered with what it brought': (run) =>
    void Object.assign(deedOf(run, 'import').answer?.body ?? {}, { events: 7 }),
  'a read shows an imported execution as its document does': (run) => {
    const read = run.deeds.findLast(({ asks }) => asks.do === 'read_events');
    Object.assign(read?.answer?.body ?? {}, { events: [] });
  },
  'an export shows the history up to some moment': (run) => {
    const events = deedOf(run, 'export').answer?.body['events'] as object[];
    Object.assign(events[1] ?? {}, { actor_id: 'token:another' });
  },
};
