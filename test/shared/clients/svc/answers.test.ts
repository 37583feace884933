import test from 'ava';
import type { z } from 'zod';

import type { Endpoint } from '../../../../src/api/endpoint.ts';
import { decideApprovals } from '../../../../src/api/endpoints/approvals/decide-approvals.ts';
import { listAllApprovals } from '../../../../src/api/endpoints/approvals/list-all-approvals.ts';
import { approveExecution } from '../../../../src/api/endpoints/executions/approve-execution.ts';
import { bulkExecutions } from '../../../../src/api/endpoints/executions/finding/bulk-executions.ts';
import { cancelExecution } from '../../../../src/api/endpoints/executions/cancel-execution.ts';
import { deliverExternalEvent } from '../../../../src/api/endpoints/executions/deliver-external-event.ts';
import { explainExecution } from '../../../../src/api/endpoints/executions/explain-execution.ts';
import { importExecution } from '../../../../src/api/endpoints/executions/import-execution.ts';
import { countExecutions } from '../../../../src/api/endpoints/executions/finding/count-executions.ts';
import { listApprovals } from '../../../../src/api/endpoints/executions/list-approvals.ts';
import { listExecutions } from '../../../../src/api/endpoints/executions/finding/list-executions.ts';
import { moveExecution } from '../../../../src/api/endpoints/executions/move-execution.ts';
import {
  pauseExecution,
  resumeExecution,
} from '../../../../src/api/endpoints/executions/pause-execution.ts';
import { readEvents } from '../../../../src/api/endpoints/executions/read-events.ts';
import { readExecution } from '../../../../src/api/endpoints/executions/read-execution.ts';
import { readResult } from '../../../../src/api/endpoints/executions/read-result.ts';
import { blameState } from '../../../../src/api/endpoints/executions/history/blame-state.ts';
import { compareState } from '../../../../src/api/endpoints/executions/history/compare-state.ts';
import { readState } from '../../../../src/api/endpoints/executions/history/read-state.ts';
import { forkExecution } from '../../../../src/api/endpoints/executions/fork/fork-execution.ts';
import { listForks } from '../../../../src/api/endpoints/executions/fork/list-forks.ts';
import { retryExecution } from '../../../../src/api/endpoints/executions/retry-execution.ts';
import { startExecution } from '../../../../src/api/endpoints/executions/start-execution.ts';
import { startExecutions } from '../../../../src/api/endpoints/executions/start-executions.ts';
import { listFailuresOfGroup } from '../../../../src/api/endpoints/failures/list-failures-of-group.ts';
import { listFailures } from '../../../../src/api/endpoints/failures/list-failures.ts';
import { listQueues } from '../../../../src/api/endpoints/queues/list-queues.ts';
import { listDeadLetters } from '../../../../src/api/endpoints/work-items/list-dead-letters.ts';
import { readDeadLetter } from '../../../../src/api/endpoints/work-items/read-dead-letter.ts';
import { requeueWorkItem } from '../../../../src/api/endpoints/work-items/requeue-work-item.ts';
import { listWorkers } from '../../../../src/api/endpoints/workers/list-workers.ts';
import { listWorkflows } from '../../../../src/api/endpoints/workflows/list-workflows.ts';
import {
  pauseWorkflow,
  resumeWorkflow,
} from '../../../../src/api/endpoints/workflows/pause-workflow.ts';
import { readWorkflow } from '../../../../src/api/endpoints/workflows/read-workflow.ts';
import { simulateWorkflow } from '../../../../src/api/endpoints/workflows/simulate-workflow.ts';
import { registerWorkflow } from '../../../../src/api/endpoints/workflows/register-workflow.ts';
import { createSvcClient, type SvcClient } from '../../../../src/shared/clients/svc/client.ts';
import { serveJson, startHttpServer } from '../../../support/servers/http-server.ts';

/*
 * The client's types are narrower than the API's answers. They omit unused members, and accept the
 * answers of an older runtime. The compiler checks `reply` against the schemas of the endpoints.
 */

/**
 * Their answers have no single schema: events are a stream, and an export is stored as any JSON.
 */
type Untyped = 'followEvents' | 'exportExecution';

type Calls = {
  readonly [Name in Exclude<keyof SvcClient, Untyped>]: {
    readonly endpoint: Endpoint;
    readonly reply: z.ZodType<Awaited<ReturnType<SvcClient[Name]>>>;
    readonly call: (client: SvcClient) => Promise<unknown>;
  };
};

const CALLS: Calls = {
  registerWorkflow: {
    endpoint: registerWorkflow,
    reply: registerWorkflow.replies[201],
    call: (client) => client.registerWorkflow({}),
  },
  simulateWorkflow: {
    endpoint: simulateWorkflow,
    reply: simulateWorkflow.replies[200],
    call: (client) => client.simulateWorkflow({ ir: {}, input: {}, samples: {} }),
  },
  listWorkflows: {
    endpoint: listWorkflows,
    reply: listWorkflows.replies[200],
    call: (client) => client.listWorkflows({ limit: 1 }),
  },
  readWorkflow: {
    endpoint: readWorkflow,
    reply: readWorkflow.replies[200],
    call: (client) => client.readWorkflow({ workflowId: 'w', version: '1' }),
  },
  pauseWorkflow: {
    endpoint: pauseWorkflow,
    reply: pauseWorkflow.replies[200],
    call: (client) => client.pauseWorkflow('w', null),
  },
  resumeWorkflow: {
    endpoint: resumeWorkflow,
    reply: resumeWorkflow.replies[200],
    call: (client) => client.resumeWorkflow('w'),
  },
  startExecution: {
    endpoint: startExecution,
    reply: startExecution.replies[201],
    call: (client) =>
      client.startExecution({ workflowId: 'w', version: null, input: {}, idempotencyKey: null }),
  },
  startExecutions: {
    endpoint: startExecutions,
    reply: startExecutions.replies[200],
    call: (client) => client.startExecutions([]),
  },
  listExecutions: {
    endpoint: listExecutions,
    reply: listExecutions.replies[200],
    call: (client) => client.listExecutions({ status: 'running' }),
  },
  countExecutions: {
    endpoint: countExecutions,
    reply: countExecutions.replies[200],
    call: (client) => client.countExecutions({ q: 'status = failed' }),
  },
  readExecution: {
    endpoint: readExecution,
    reply: readExecution.replies[200],
    call: (client) => client.readExecution('e'),
  },
  readResult: {
    endpoint: readResult,
    reply: readResult.replies[200],
    call: (client) => client.readResult('e'),
  },
  explainExecution: {
    endpoint: explainExecution,
    reply: explainExecution.replies[200],
    call: (client) => client.explainExecution('e'),
  },
  importExecution: {
    endpoint: importExecution,
    reply: importExecution.replies[201],
    call: (client) => client.importExecution({}),
  },
  readEvents: {
    endpoint: readEvents,
    reply: readEvents.replies[200],
    call: (client) => client.readEvents({ executionId: 'e', after: 0, limit: null }),
  },
  readState: {
    endpoint: readState,
    reply: readState.replies[200],
    call: (client) => client.readState('e', null),
  },
  compareState: {
    endpoint: compareState,
    reply: compareState.replies[200],
    call: (client) => client.compareState('e', { from: '1', to: null }),
  },
  blameState: {
    endpoint: blameState,
    reply: blameState.replies[200],
    call: (client) => client.blameState('e', null),
  },
  cancelExecution: {
    endpoint: cancelExecution,
    reply: cancelExecution.replies[200],
    call: (client) => client.cancelExecution('e'),
  },
  pauseExecution: {
    endpoint: pauseExecution,
    reply: pauseExecution.replies[200],
    call: (client) => client.pauseExecution('e', null),
  },
  resumeExecution: {
    endpoint: resumeExecution,
    reply: resumeExecution.replies[200],
    call: (client) => client.resumeExecution('e'),
  },
  moveExecution: {
    endpoint: moveExecution,
    reply: moveExecution.replies[200],
    call: (client) => client.moveExecution('e', { build_id: null }),
  },
  retryExecution: {
    endpoint: retryExecution,
    reply: retryExecution.replies[201],
    call: (client) => client.retryExecution('e', {}),
  },
  forkExecution: {
    endpoint: forkExecution,
    reply: forkExecution.replies[201],
    call: (client) => client.forkExecution('e', { at: 'a' }),
  },
  previewFork: {
    endpoint: forkExecution,
    reply: forkExecution.replies[200],
    call: (client) => client.previewFork('e', { at: 'a' }),
  },
  listForks: {
    endpoint: listForks,
    reply: listForks.replies[200],
    call: (client) => client.listForks('e', {}),
  },
  bulkExecutions: {
    endpoint: bulkExecutions,
    reply: bulkExecutions.replies[200],
    call: (client) => client.bulkExecutions({}),
  },
  listDeadLetters: {
    endpoint: listDeadLetters,
    reply: listDeadLetters.replies[200],
    call: (client) => client.listDeadLetters({}),
  },
  readDeadLetter: {
    endpoint: readDeadLetter,
    reply: readDeadLetter.replies[200],
    call: (client) => client.readDeadLetter('i'),
  },
  requeueWorkItem: {
    endpoint: requeueWorkItem,
    reply: requeueWorkItem.replies[200],
    call: (client) => client.requeueWorkItem('i'),
  },
  listAllApprovals: {
    endpoint: listAllApprovals,
    reply: listAllApprovals.replies[200],
    call: (client) => client.listAllApprovals({}),
  },
  decideApprovals: {
    endpoint: decideApprovals,
    reply: decideApprovals.replies[200],
    call: (client) => client.decideApprovals([]),
  },
  listQueues: {
    endpoint: listQueues,
    reply: listQueues.replies[200],
    call: (client) => client.listQueues(),
  },
  listWorkers: {
    endpoint: listWorkers,
    reply: listWorkers.replies[200],
    call: (client) => client.listWorkers(),
  },
  listFailures: {
    endpoint: listFailures,
    reply: listFailures.replies[200],
    call: (client) => client.listFailures({}),
  },
  listFailuresOfGroup: {
    endpoint: listFailuresOfGroup,
    reply: listFailuresOfGroup.replies[200],
    call: (client) => client.listFailuresOfGroup('g', {}),
  },
  listApprovals: {
    endpoint: listApprovals,
    reply: listApprovals.replies[200],
    call: (client) => client.listApprovals('e'),
  },
  approveExecution: {
    endpoint: approveExecution,
    reply: approveExecution.replies[200],
    call: (client) => client.approveExecution('e', {}),
  },
  sendEvent: {
    endpoint: deliverExternalEvent,
    reply: deliverExternalEvent.replies[200],
    call: (client) =>
      client.sendEvent({ executionId: 'e', correlationKey: 'k', payload: { n: 1 } }),
  },
};

for (const [name, { endpoint, call }] of Object.entries(CALLS)) {
  test(`${name} asks ${endpoint.method} ${endpoint.path}`, async (t) => {
    const server = await startHttpServer(serveJson({}));
    t.teardown(() => server.close());
    await t.throwsAsync(call(createSvcClient({ url: server.url, token: null })));
    const [request] = server.requests;
    t.is(request?.method, endpoint.method);
    const { pathname } = new URL(request?.url ?? '', server.url);
    t.regex(pathname, new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, '[^/]+')}$`));
  });
}
