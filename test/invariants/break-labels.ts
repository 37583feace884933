import type { LabelsOf } from './checks/check-labels.ts';
import type { ExampleRun } from './example-run.ts';

/** No workflow of the example run gives labels. */
export const LABELLED: Readonly<Record<string, LabelsOf>> = {};

const LABELS = { customer: 'acme' };

/** By rule: a function that breaks it. */
export const LABELS_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  'an execution is found by the labels of its events': ({ last }) =>
    void (last.execution_labels = [rowOf('amber')]),
  'a row of a label has the tenant of its execution': ({ last }) => {
    label(last, 'WorkflowStarted');
    last.execution_labels = [rowOf('birch')];
  },
  'a result that is accepted gives its labels': ({ deeds }) => {
    for (const { asks } of deeds)
      if (asks.do === 'complete') Object.assign(asks, { labels: LABELS });
  },
  'only a result gives labels later': ({ last }) => label(last, 'NodeCompleted'),
  'an execution begins with the labels that it was given': ({ last }) =>
    label(last, 'WorkflowStarted'),
};

function rowOf(tenantId: string) {
  return { execution_id: 'exec_1', tenant_id: tenantId, name: 'customer', value: 'acme' };
}

function label({ events }: ExampleRun['last'], kind: string): void {
  const event = events.find((one) => one.kind === kind);
  if (event !== undefined) event.payload = { ...event.payload, labels: LABELS };
}
