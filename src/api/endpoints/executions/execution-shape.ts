import type { ListedExecution, ShownInList } from '../../../shared/engine/executions/list-shown.ts';
import type { ExecutionView, WaitingOn } from '../../../shared/engine/executions/read-execution.ts';
import { z } from 'zod';

import { EXECUTION_STATUSES, TERMINAL_STATUSES } from '../../../shared/domain/execution/status.ts';
import type { ExecutionState, Failure } from '../../../shared/domain/execution/state.ts';
import { keyInPlace, rateKeyInLine } from '../../../shared/domain/workflow/flow/flow-key.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { keptLabels } from '../../schemas/labels.ts';
import { executionId, timestamp } from '../../schemas/text.ts';

import { pausesShape, shapePauses } from './pause-shape.ts';

export const executionStatus = z.enum(EXECUTION_STATUSES);

/** An execution in a list. */
export const executionSummary = z.object({
  execution_id: executionId,
  workflow_id: z.string(),
  status: executionStatus,
  created_at: timestamp,
  completed_at: timestamp.nullable(),
  workflow_version: z.string(),
  started_at: timestamp,
  updated_at: timestamp,
  error: z.string().nullable(),
  parent_execution_id: executionId.nullable(),
  labels: keptLabels,
  waiting_for: z
    .object({
      kind: z.enum([
        'concurrency',
        'rate',
        'debounce',
        'batch',
        'max_concurrent_executions',
        'start_after',
      ]),
      key: z
        .string()
        .nullable()
        .meta({
          description:
            'Key of `concurrency`, `rate`, `debounce` or `batch`. Null: all executions of the workflow, or the tenant, share the ' +
            'places; or a data policy hides it.',
        }),
      since: timestamp,
      until: timestamp.nullable().meta({
        description:
          'With `start_after` and `debounce`: when it begins. With `batch`: when the batch closes at the latest.',
      }),
    })
    .nullable()
    .meta({
      description: 'The place that it waits for before it begins. Null: it has begun, or ended.',
    }),
  imported: z
    .object({
      at: timestamp,
      actor_id: z.string(),
      sha256: z.string().meta({ description: 'Hash of the document, in hex.' }),
    })
    .nullable()
    .meta({
      description: 'It was imported from a file: its events were recorded elsewhere, or earlier.',
    }),
});

/** An entry of a list, with the cause of a failure; the view of one execution has `failure`. */
export const listedExecution = executionSummary.extend({
  error_class: z
    .string()
    .nullable()
    .meta({ description: 'Class of the error. Null: it has not failed, or that is not known.' }),
  error_node_id: z
    .string()
    .nullable()
    .meta({ description: 'The node that failed. Null: none did, or that is not known.' }),
  awaiting_approval: z
    .object({
      node_id: z.string(),
      step: z
        .string()
        .nullable()
        .meta({ description: 'The approval of a durable function. Null: the node itself asks.' }),
      since: timestamp,
    })
    .nullable()
    .meta({
      description: 'The oldest approval that a person must decide. Null: none is open.',
    }),
});

export const waitingOnShape = z.object({
  node_id: z.string(),
  visit: z.int(),
  kind: z.string(),
  waiting_for: z.enum([
    'work',
    'approval',
    'timer',
    'event',
    'either',
    'map',
    'child',
    'suspended',
  ]),
  since: timestamp.nullable(),
  attempt: z.int(),
  work_item_id: z.string().nullable(),
  queue_type: z.string().nullable(),
  correlation_key: z.string().nullable(),
  child_execution_id: executionId
    .nullable()
    .meta({ description: 'The child execution that the node waits for.' }),
});

const undoShape = z.object({
  pending: z.int().meta({ description: 'Completed steps whose undo has not begun.' }),
  under_way: z.int().meta({ description: 'Undos that have begun, and dead letters among them.' }),
  undone: z.int(),
  not_undone: z
    .array(z.object({ node_id: z.string(), visit: z.int(), error: z.string() }))
    .meta({ description: 'Steps that the execution ends without undoing.' }),
});

export const endingShape = z
  .object({ outcome: z.enum(TERMINAL_STATUSES) })
  .meta({ description: 'How the execution will end once its undos and finalizers are done.' });

export const failureShape = z.object({
  error: z.string(),
  error_class: z.string(),
  node_id: z.string().nullable().meta({ description: 'The node that failed.' }),
});

export const executionShape = executionSummary.extend({
  state: anyObject,
  current_state: anyObject.meta({ description: 'The same as `state`.' }),
  ending: endingShape.nullable().meta({
    description:
      'How the execution will end once its undos and finalizers are done. Null: it has none to wait for.',
  }),
  failure: failureShape.nullable().meta({
    description: 'Its first cause, once it fails, also while undos and finalizers run.',
  }),
  undo: undoShape.nullable().meta({
    description: 'Steps that the end undoes. Null: no step that has an undo is complete.',
  }),
  steps_executed: z.int().meta({ description: 'Number of `NodeCompleted` events.' }),
  input: anyObject,
  initial_input: anyObject.meta({ description: 'The same as `input`.' }),
  waiting_on: z.array(waitingOnShape),
  waiting_for_place: z
    .object({
      since: timestamp,
      ahead: z.int().meta({ description: 'Children that wait longer, counted to 1000.' }),
      max_concurrent_executions: z.int().nullable(),
    })
    .nullable()
    .meta({ description: 'A child that has not begun: the tenant has no place for it yet.' }),
  pauses: pausesShape,
  continued_from: executionId.nullable().meta({ description: 'The run that this one continues.' }),
  continued_as: executionId.nullable().meta({ description: 'The run that continues this one.' }),
  retried_from: z
    .object({
      execution_id: executionId,
      sequence: z
        .int()
        .meta({ description: 'Sequence of its last event before those of its end.' }),
      node_id: z.string().nullable().meta({ description: 'The node that had failed.' }),
    })
    .nullable()
    .meta({ description: 'The execution that is tried again here.' }),
  retried_as: executionId
    .nullable()
    .meta({ description: 'The execution in which this one was tried again.' }),
  forked_from: z
    .object({
      execution_id: executionId,
      sequence: z.int().meta({ description: 'Sequence of the last event that it carries.' }),
      node_id: z.string().nullable().meta({ description: 'The node that was asked for.' }),
    })
    .nullable()
    .meta({ description: 'The execution whose beginning this one carries.' }),
  usage: z
    .object({
      input_tokens: z.int(),
      output_tokens: z.int(),
      cost_usd: z.number().meta({ description: 'Cost of the calls with a known price.' }),
    })
    .meta({ description: 'Model usage, including ended children.' }),
});

type Summary = z.input<typeof executionSummary>;

function shapeSummary(row: Omit<ListedExecution, 'errorClass' | 'errorNodeId'>): Summary {
  return {
    execution_id: row.executionId,
    workflow_id: row.workflowId,
    status: row.status,
    created_at: row.createdAt,
    completed_at: row.completedAt,
    workflow_version: row.workflowVersion,
    started_at: row.createdAt,
    updated_at: row.updatedAt,
    error: row.error,
    parent_execution_id: row.parentExecutionId,
    labels: row.labels,
    waiting_for: shapeWait(row.waitingFor),
    imported: row.imported && {
      at: row.imported.importedAt,
      actor_id: row.imported.importedBy,
      sha256: row.imported.documentSha256,
    },
  };
}

export function shapeListed(row: ShownInList): z.input<typeof listedExecution> {
  const { approval } = row;
  return {
    ...shapeSummary(row),
    error_class: row.errorClass,
    error_node_id: row.errorNodeId,
    awaiting_approval: approval && {
      node_id: approval.nodeId,
      step: approval.step,
      since: approval.requestedAt,
    },
  };
}

function shapeWait(wait: ListedExecution['waitingFor']): Summary['waiting_for'] {
  if (wait === null) return null;
  const { kind, placeKey, since, until = null } = wait;
  const keyOf = kind === 'rate' ? rateKeyInLine : keyInPlace;
  const key = placeKey === null ? '' : keyOf(placeKey);
  return { kind, key: key === '' ? null : key, since, until };
}

export function shapeFailure(failure: Failure | null): z.input<typeof failureShape> | null {
  if (failure === null) return null;
  return { error: failure.error, error_class: failure.errorClass, node_id: failure.nodeId };
}

function shapeUndo({ undo, live }: ExecutionState): z.input<typeof executionShape>['undo'] {
  const { pending, undone, failed } = undo;
  const underWay = [...live.values()].filter((visit) => visit.undoes !== undefined).length;
  if (pending.length + underWay + undone + failed.length === 0) return null;
  const notUndone = failed.map(({ nodeId, visit, error }) => ({ node_id: nodeId, visit, error }));
  return { pending: pending.length, under_way: underWay, undone, not_undone: notUndone };
}

export function shapeExecution(view: ExecutionView): z.input<typeof executionShape> {
  const { state } = view;
  return {
    ...shapeSummary(view.row),
    state: state.data,
    current_state: state.data,
    ending: state.ending && { outcome: state.ending.outcome },
    failure: shapeFailure(view.failure),
    undo: shapeUndo(state),
    steps_executed: state.stepsExecuted,
    input: state.input,
    initial_input: state.input,
    waiting_on: view.waitingOn.map(shapeWaitingOn),
    waiting_for_place: view.placeWait && {
      since: view.placeWait.since,
      ahead: view.placeWait.ahead,
      max_concurrent_executions: view.placeWait.placesMax,
    },
    pauses: shapePauses(state.pauses),
    continued_from: state.continuedFrom,
    continued_as: state.continuedAs,
    retried_from: state.retriedFrom && {
      execution_id: state.retriedFrom.executionId,
      sequence: state.retriedFrom.sequence,
      node_id: state.retriedFrom.nodeId,
    },
    retried_as: view.retriedAs,
    forked_from: state.forkedFrom && {
      execution_id: state.forkedFrom.executionId,
      sequence: state.forkedFrom.sequence,
      node_id: state.forkedFrom.nodeId,
    },
    usage: {
      input_tokens: state.usage.inputTokens,
      output_tokens: state.usage.outputTokens,
      cost_usd: state.usage.costUsd,
    },
  };
}

function shapeWaitingOn(waiting: WaitingOn): z.input<typeof waitingOnShape> {
  return {
    node_id: waiting.nodeId,
    visit: waiting.visit,
    kind: waiting.kind,
    waiting_for: waiting.waitingFor,
    since: waiting.since,
    attempt: waiting.attempt,
    work_item_id: waiting.workItemId,
    queue_type: waiting.queue,
    correlation_key: waiting.correlationKey,
    child_execution_id: waiting.childId,
  };
}
