import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { followEvents, type FollowEvents } from './follow-events.ts';
import { createOverviewClient, type OverviewClient } from './overview-client.ts';
import { readJson, sendRequest, type ApiRequest, type ApiTarget } from './request.ts';
import type {
  WireAccepted,
  WireApprovals,
  WireBulk,
  WireCancelled,
  WireCounts,
  WireDeadLetters,
  WireEvent,
  WireExecution,
  WireForked,
  WireForkPreview,
  WireForks,
  WireExplanation,
  WireImported,
  WireMoved,
  WirePaused,
  WireRegistered,
  WireReadDeadLetter,
  WireResult,
  WireRetried,
  WireSimulation,
  WireStarts,
  WireState,
  WireStateBlame,
  WireStateDifference,
  WireWorkflow,
  WireWorkflowPaused,
} from './wire.ts';

/** Client of this service's own HTTP API. Throws ApiError and ApiUnreachableError. */
export interface SvcClient extends OverviewClient {
  registerWorkflow(ir: JsonValue, options?: { readonly strict: boolean }): Promise<WireRegistered>;
  simulateWorkflow(params: {
    readonly ir: JsonValue;
    readonly input: JsonObject;
    readonly samples: JsonObject;
  }): Promise<WireSimulation>;
  listWorkflows(query: Query): Promise<{ readonly workflows: readonly WireWorkflow[] }>;
  readWorkflow(params: {
    readonly workflowId: string;
    readonly version: string | null;
  }): Promise<WireWorkflow>;
  pauseWorkflow(workflowId: string, reason: string | null): Promise<WireWorkflowPaused>;
  resumeWorkflow(workflowId: string): Promise<WireWorkflowPaused>;
  startExecution(params: {
    readonly workflowId: string;
    readonly version: string | null;
    readonly labels?: Readonly<Record<string, string>> | null;
    /** As `start_after` and `start_deadline` of the request. */
    readonly startAfter?: string | null;
    readonly startDeadline?: string | null;
    /** `concurrency`, `rate`, `debounce` and `batch` of the request. */
    readonly startRules?: JsonObject | null;
    readonly input: JsonValue;
    readonly idempotencyKey: string | null;
  }): Promise<{ readonly execution_id: string }>;
  startExecutions(entries: readonly JsonObject[]): Promise<WireStarts>;
  listExecutions(query: Query): Promise<{
    readonly executions: readonly WireExecution[];
    /** Null or absent on the last page. */
    readonly next_cursor?: string | null;
  }>;
  countExecutions(query: Query): Promise<WireCounts>;
  readExecution(executionId: string): Promise<WireExecution>;
  /** Without an `error`, not even null: it has not ended. */
  readResult(
    executionId: string,
  ): Promise<WireResult | Pick<WireExecution, 'execution_id' | 'status'>>;
  explainExecution(executionId: string, signal?: AbortSignal): Promise<WireExplanation>;
  readState(executionId: string, at: string | null): Promise<WireState>;
  compareState(
    executionId: string,
    range: { readonly from: string; readonly to: string | null },
  ): Promise<WireStateDifference>;
  blameState(executionId: string, at: string | null): Promise<WireStateBlame>;
  exportExecution(executionId: string): Promise<JsonObject>;
  importExecution(document: JsonObject): Promise<WireImported>;
  readEvents(params: {
    readonly executionId: string;
    readonly after: number;
    readonly limit: number | null;
  }): Promise<{ readonly events: readonly WireEvent[] }>;
  /** Every event up to the last one, live; survives broken connections. */
  followEvents(params: FollowEvents): AsyncGenerator<WireEvent>;
  cancelExecution(executionId: string): Promise<WireCancelled>;
  pauseExecution(executionId: string, reason: string | null): Promise<WirePaused>;
  resumeExecution(executionId: string): Promise<WirePaused>;
  moveExecution(executionId: string, move: JsonObject): Promise<WireMoved>;
  retryExecution(executionId: string, changes: JsonObject): Promise<WireRetried>;
  forkExecution(executionId: string, request: JsonObject): Promise<WireForked>;
  previewFork(executionId: string, request: JsonObject): Promise<WireForkPreview>;
  listForks(executionId: string, query: Query): Promise<WireForks>;
  bulkExecutions(request: JsonObject): Promise<WireBulk>;
  listDeadLetters(query: Query): Promise<WireDeadLetters>;
  readDeadLetter(workItemId: string): Promise<WireReadDeadLetter>;
  requeueWorkItem(workItemId: string): Promise<{ readonly work_item_id: string }>;
  listApprovals(executionId: string): Promise<WireApprovals>;
  approveExecution(executionId: string, decision: JsonObject): Promise<WireAccepted>;
  sendEvent(params: {
    readonly executionId: string;
    readonly correlationKey: string;
    readonly payload: JsonValue;
  }): Promise<WireAccepted>;
}

type Query = Readonly<Record<string, string | number | null>>;

/** Longest wait for an answer; the runtime's own bound on a request is shorter. */
const ANSWER_MS_MAX = 60_000;

export function createSvcClient(target: ApiTarget): SvcClient {
  /** `member` is one that every such answer holds. */
  async function call<Body>(member: string & keyof Body, request: ApiRequest): Promise<Body> {
    const timeout = AbortSignal.timeout(target.answerMsMax ?? ANSWER_MS_MAX);
    const signal = AbortSignal.any([timeout, ...(request.signal ? [request.signal] : [])]);
    return readJson<Body>(target, await sendRequest(target, { ...request, signal }), member);
  }

  return {
    ...createOverviewClient(call),
    registerWorkflow: (ir, options) =>
      call('workflow_id', {
        method: 'POST',
        path: '/workflows',
        query: { strict: options?.strict === true ? 'true' : null },
        body: { ir },
      }),
    simulateWorkflow: (body) =>
      call('events', { method: 'POST', path: '/workflows/simulate', body }),
    listWorkflows: (query) => call('workflows', { method: 'GET', path: '/workflows', query }),
    readWorkflow: ({ workflowId, version }) =>
      call('workflow_id', {
        method: 'GET',
        path: workflowPath(workflowId),
        query: { version },
      }),
    pauseWorkflow: (id, reason) =>
      call('workflow_id', { method: 'POST', path: `${workflowPath(id)}/pause`, body: { reason } }),
    resumeWorkflow: (id) =>
      call('workflow_id', { method: 'POST', path: `${workflowPath(id)}/resume` }),
    startExecution: ({ workflowId, version, input, idempotencyKey, ...more }) =>
      call('execution_id', {
        method: 'POST',
        path: '/executions',
        body: {
          workflow_id: workflowId,
          ...(version !== null && { workflow_version: version }),
          input,
          ...withoutNull({
            labels: more.labels,
            start_after: more.startAfter,
            start_deadline: more.startDeadline,
          }),
          ...more.startRules,
        },
        headers: idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey },
      }),
    startExecutions: (entries) =>
      call('results', { method: 'POST', path: '/executions/batch', body: { executions: entries } }),
    listExecutions: (query) => call('executions', { method: 'GET', path: '/executions', query }),
    countExecutions: (query) =>
      call('by_status', { method: 'GET', path: '/executions/counts', query }),
    readExecution: (id) => call('execution_id', { method: 'GET', path: executionPath(id) }),
    readResult: (id) =>
      call('execution_id', { method: 'GET', path: `${executionPath(id)}/result` }),
    explainExecution: (id, signal) =>
      call('blockers', {
        method: 'GET',
        path: `${executionPath(id)}/explain`,
        ...(signal !== undefined && { signal }),
      }),
    readState: (id, at) =>
      call('state', { method: 'GET', path: `${executionPath(id)}/state`, query: { at } }),
    compareState: (id, { from, to }) =>
      call('changes', {
        method: 'GET',
        path: `${executionPath(id)}/state/diff`,
        query: { from, to },
      }),
    blameState: (id, at) =>
      call('keys', { method: 'GET', path: `${executionPath(id)}/state/blame`, query: { at } }),
    exportExecution: (id) => call('format', { method: 'GET', path: `${executionPath(id)}/export` }),
    importExecution: (document) =>
      call('execution_id', { method: 'POST', path: '/executions/import', body: document }),
    readEvents: ({ executionId, after, limit }) =>
      call('events', {
        method: 'GET',
        path: `${executionPath(executionId)}/events`,
        query: { after: after === 0 ? null : after, limit },
      }),
    followEvents: (params) => followEvents(target, params),
    cancelExecution: (id) =>
      call('execution_id', { method: 'POST', path: `${executionPath(id)}/cancel` }),
    pauseExecution: (id, reason) =>
      call('execution_id', {
        method: 'POST',
        path: `${executionPath(id)}/pause`,
        body: { reason },
      }),
    resumeExecution: (id) =>
      call('execution_id', { method: 'POST', path: `${executionPath(id)}/resume` }),
    moveExecution: (id, move) =>
      call('execution_id', { method: 'POST', path: `${executionPath(id)}/build`, body: move }),
    retryExecution: (id, changes) =>
      call('execution_id', { method: 'POST', path: `${executionPath(id)}/retry`, body: changes }),
    forkExecution: (id, request) =>
      call('execution_id', { method: 'POST', path: `${executionPath(id)}/fork`, body: request }),
    previewFork: (id, request) =>
      call('begins', {
        method: 'POST',
        path: `${executionPath(id)}/fork`,
        body: { ...request, dry_run: true },
      }),
    listForks: (id, query) =>
      call('forks', { method: 'GET', path: `${executionPath(id)}/forks`, query }),
    bulkExecutions: (request) =>
      call('results', { method: 'POST', path: '/executions/bulk', body: request }),
    listDeadLetters: (query) =>
      call('work_items', {
        method: 'GET',
        path: '/work-items',
        query: { status: 'dead_lettered', ...query },
      }),
    readDeadLetter: (id) =>
      call('actions', { method: 'GET', path: `/work-items/${encodeURIComponent(id)}` }),
    requeueWorkItem: (id) =>
      call('work_item_id', {
        method: 'POST',
        path: `/work-items/${encodeURIComponent(id)}/requeue`,
      }),
    listApprovals: (id) =>
      call('pending', { method: 'GET', path: `${executionPath(id)}/approvals` }),
    approveExecution: (id, decision) =>
      call('accepted', { method: 'POST', path: `${executionPath(id)}/approve`, body: decision }),
    sendEvent: ({ executionId, correlationKey, payload }) =>
      call('accepted', {
        method: 'POST',
        path: `${executionPath(executionId)}/external-event`,
        body: { correlation_key: correlationKey, payload },
      }),
  };
}

function workflowPath(id: string): string {
  return `/workflows/${encodeURIComponent(id)}`;
}

function executionPath(id: string): string {
  return `/executions/${encodeURIComponent(id)}`;
}

function withoutNull(
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => (value ?? null) !== null),
  );
}
