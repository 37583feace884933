import { hashJson } from '../../domain/canonical-json.ts';
import { badRequest, conflict, notFound, SvcError } from '../../domain/errors.ts';
import { labelExecution } from '../../domain/execution/labels/label-execution.ts';
import {
  hasLabels,
  type Labels,
  LABELS_MAX,
  tellTooMany,
  NO_LABELS,
} from '../../domain/execution/labels/labels.ts';
import { executionIdFromUuid, type ExecutionId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  endsBeforeStart,
  parseStartTime,
  START_TIME_FORMS,
  type StartTimes,
} from '../../domain/workflow/flow/start-times.ts';
import type { GivenRules } from '../../domain/workflow/flow/given-rules.ts';
import type { TimerSpec } from '../../domain/workflow/plan/plan.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import type { Startable } from '../advance/definition-cache.ts';
import { holdReferences } from '../artifacts/hold-references.ts';
import type { Caller, Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';
import { checkGivenRules } from '../flow/flow-rules.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { beginExecution, type Beginning } from './begin-execution.ts';
import { checkInput } from './check-input.ts';

/** The workflow to run, and its input. */
export interface StartSubject {
  readonly workflowId: string;
  /** Null: the version registered last. */
  readonly workflowVersion: string | null;
  readonly input: JsonObject;
  /** Aborted when nobody waits for the answer any more: checks of the input are dropped. */
  readonly signal?: AbortSignal;
  /** See `CpuCaller`; absent: refused. */
  readonly whenBusy?: CpuCaller['whenBusy'];
}

export interface StartExecution extends StartSubject {
  /** 0 first, 9 last; 5 when the caller says nothing. */
  readonly priority: number;
  /** The Idempotency-Key header, if any; the same key with another request is a 409. */
  readonly idempotencyKey: string | null;
  /** Absent: it has none. */
  readonly labels?: Labels;
  /** Times that are absent are those of the workflow. */
  readonly startTimes?: GivenStartTimes;
  /** Absent: those of the workflow alone. */
  readonly startRules?: GivenRules;
  /** The traceparent header, if there is one that can be read. */
  readonly traceparent?: string;
  /** A derived id; absent: a new one. The start is a 409 if such an execution exists or has existed. */
  readonly executionId?: ExecutionId;
  /** The id of a new execution, where the caller must know it before the start; absent: any. */
  readonly newId?: ExecutionId;
}

/** As they were written, see `parseStartTime`. */
export interface GivenStartTimes {
  readonly after?: string | number;
  readonly deadline?: string | number;
}

/**
 * Creates an execution together with its first consequences, in one transaction: once this answers,
 * the execution is durable and its first work is on its queue, or, where this process may run it,
 * leased to it and begun.
 */
export async function startExecution(
  deps: UseCaseDeps,
  caller: Caller,
  params: StartExecution,
): Promise<{ readonly executionId: ExecutionId }> {
  const compiled = await findStart(deps, caller, params);
  const { definition } = compiled;
  const executionId = params.executionId ?? params.newId ?? newExecutionId(deps);
  const { tenantId, actorId } = caller;
  const { priority, startRules } = params;
  if (startRules !== undefined) checkGivenRules(compiled, startRules);
  const request = requestOf(params);
  const labels = labelStart(compiled.plan, params);
  const startTimes = timeStart(compiled.plan, params);
  const started: Beginning['started'] = {
    kind: 'WorkflowStarted',
    nodeId: null,
    payload: {
      workflow_id: definition.workflowId,
      workflow_version: definition.version,
      definition_id: definition.definitionId,
      input: params.input,
      ...(hasLabels(labels) && { labels }),
      ...(startRules !== undefined && { start_rules: startRules }),
      ...(params.traceparent !== undefined && { traceparent: params.traceparent }),
    },
  };
  const verdict = await beginExecution(deps, {
    compiled,
    workflowPause: compiled.workflowPause,
    executionId,
    tenantId,
    actorId,
    started,
    priority,
    request,
    budgets: [],
    refusesUnknown: true,
    startTimes,
    isLatest: params.workflowVersion === null,
    ...(params.executionId !== undefined && { isDerived: true }),
    ...(params.signal !== undefined && { signal: params.signal }),
    ...(params.whenBusy !== undefined && { whenBusy: params.whenBusy }),
  });
  if (verdict.accepted) return { executionId };
  if (verdict.existing !== null) {
    if (verdict.existing.bodyHash === request?.bodyHash) {
      return { executionId: verdict.existing.executionId };
    }
    throw conflict('this Idempotency-Key was used with a different request; use a new key', {
      execution_id: verdict.existing.executionId,
    });
  }
  throw idTaken(executionId);
}

export function newExecutionId({ ids }: Pick<EngineDeps, 'ids'>): ExecutionId {
  return executionIdFromUuid(ids.uuid());
}

function idTaken(executionId: ExecutionId): SvcError {
  return conflict(`execution ${executionId} already exists`, { execution_id: executionId });
}

/** Whether a start was refused because an execution of that id exists or has existed. */
export function isIdTaken(error: unknown, executionId: ExecutionId): boolean {
  return (
    error instanceof SvcError &&
    error.code === 'conflict' &&
    error.body?.['execution_id'] === executionId
  );
}

/** Throws where a start would be refused, but for limits. Holds the artifacts of its input, as a start does. */
export async function checkStart(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: StartSubject,
): Promise<void> {
  const { input } = params;
  await findStart(deps, { tenantId }, params);
  await holdReferences(deps.store.artifacts, {
    tenantId,
    json: JSON.stringify(input),
    values: [input],
    what: 'the input',
  });
}

/** The definition that a start would run; throws where it would be refused, but for limits. */
async function findStart(
  deps: EngineDeps,
  { tenantId }: Reader,
  params: StartSubject,
): Promise<Startable> {
  const { workflowId, workflowVersion } = params;
  const found = await deps.definitions.latest({ tenantId, workflowId, version: workflowVersion });
  if (found === null) {
    const version = workflowVersion === null ? '' : ` version ${workflowVersion}`;
    throw notFound(`workflow ${workflowId}${version}`);
  }
  const { input, signal = null, whenBusy = 'refused' } = params;
  await checkInput(deps, { plan: found.plan, input, caller: { tenantId, signal, whenBusy } });
  return found;
}

/** Those of the definition, and those of the request, which replace them. */
function labelStart(
  { executionLabels }: Startable['plan'],
  { input, labels: given = NO_LABELS }: StartExecution,
): Labels {
  const labelled = labelExecution(executionLabels, input);
  if (!labelled.ok) throw badRequest(`execution_labels of the workflow: ${labelled.message}`);
  if (!hasLabels(given)) return labelled.labels;
  const labels = { ...labelled.labels, ...given };
  const count = Object.keys(labels).length;
  if (count <= LABELS_MAX) return labels;
  throw badRequest(`labels, with those of the workflow, ${tellTooMany(count)}`);
}

/** Those of the request, and for what it does not say, those of the definition. */
function timeStart(
  { startTimes: planned }: Startable['plan'],
  { startTimes: given = {} }: StartExecution,
): StartTimes {
  const after = readTime('start_after', given.after) ?? planned.after;
  const deadline = readTime('start_deadline', given.deadline) ?? planned.deadline;
  const isAtOnce = after !== null && 'delayMs' in after && after.delayMs === 0;
  const times = { after: isAtOnce ? null : after, deadline };
  if (endsBeforeStart(times)) throw badRequest('start_deadline must be later than start_after');
  return times;
}

function readTime(name: string, given: string | number | undefined): TimerSpec | null {
  if (given === undefined) return null;
  const time = parseStartTime(given);
  if (time === null) throw badRequest(`${name} must be ${START_TIME_FORMS}`);
  return time;
}

function requestOf(params: StartExecution): { key: string; bodyHash: string } | null {
  if (params.idempotencyKey === null) return null;
  const bodyHash = hashJson({
    workflow_id: params.workflowId,
    workflow_version: params.workflowVersion,
    input: params.input,
    priority: params.priority,
    ...(hasLabels(params.labels ?? NO_LABELS) && { labels: params.labels }),
    ...(params.startTimes !== undefined && { start_times: { ...params.startTimes } }),
    ...(params.startRules !== undefined && { start_rules: { ...params.startRules } }),
  });
  return { key: params.idempotencyKey, bodyHash };
}
