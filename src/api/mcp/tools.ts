import type { Endpoint } from '../endpoint.ts';
import { listAgents } from '../endpoints/agents/list-agents.ts';
import { approveExecution } from '../endpoints/executions/approve-execution.ts';
import { cancelExecution } from '../endpoints/executions/cancel-execution.ts';
import { deliverExternalEvent } from '../endpoints/executions/deliver-external-event.ts';
import { listApprovals } from '../endpoints/executions/list-approvals.ts';
import { listExecutions } from '../endpoints/executions/finding/list-executions.ts';
import { pauseExecution, resumeExecution } from '../endpoints/executions/pause-execution.ts';
import { readEvents } from '../endpoints/executions/read-events.ts';
import { readExecution } from '../endpoints/executions/read-execution.ts';
import { forkExecution } from '../endpoints/executions/fork/fork-execution.ts';
import { retryExecution } from '../endpoints/executions/retry-execution.ts';
import { startExecution } from '../endpoints/executions/start-execution.ts';
import { recallFacts } from '../endpoints/memory/recall-facts.ts';
import { listWorkflows } from '../endpoints/workflows/list-workflows.ts';
import { pauseWorkflow, resumeWorkflow } from '../endpoints/workflows/pause-workflow.ts';

/**
 * An endpoint as a tool. Its arguments are the endpoint's path parameters, query and body side by
 * side, under their own names and schemas.
 */
export interface McpTool {
  readonly name: string;
  /** Whose use case it is. */
  readonly endpoint: Endpoint;
  /** Advice for a model before it calls; absent: the endpoint's own text. */
  readonly description?: string;
  /** The argument that fills `:id` in the path. */
  readonly idArgument?: string;
  /** Arguments sent as headers in HTTP. */
  readonly headers?: Readonly<Record<string, { readonly header: string; readonly about: string }>>;
  /** Parameters of the query that are no arguments. */
  readonly omits?: readonly string[];
  /** The status whose body is the answer; the first of success when absent. */
  readonly answers?: number;
  /** In place of the endpoint's own: an answer of a tool fills a model's context. */
  readonly defaults?: Readonly<Record<string, number>>;
  /** Whether it changes nothing; by its access when absent. */
  readonly readOnly?: boolean;
  /** Whether calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean;
  /** Whether it ends or undoes something. */
  readonly destructive?: boolean;
}

const EXECUTION = { idArgument: 'execution_id' } as const;
const WORKFLOW = { idArgument: 'workflow_id' } as const;
const PAGE = { limit: 20 } as const;
const EVENTS = { limit: 100 } as const;

/** Every tool there is. A client asks for the list with a token of any role. */
export const tools: readonly McpTool[] = [
  { name: 'list_workflows', endpoint: listWorkflows, defaults: PAGE },
  {
    name: 'pause_workflow',
    endpoint: pauseWorkflow,
    idempotent: true,
    destructive: true,
    ...WORKFLOW,
  },
  { name: 'resume_workflow', endpoint: resumeWorkflow, idempotent: true, ...WORKFLOW },
  {
    name: 'start_execution',
    endpoint: startExecution,
    description:
      'Starts an execution of a registered workflow and answers its id at once; it then runs on ' +
      'its own. Follow it with get_execution.',
    // A call of a tool is no place to wait: clients give up on it after a time of their own.
    omits: ['wait'],
    answers: 201,
    headers: {
      idempotency_key: {
        header: 'Idempotency-Key',
        about:
          'The same key and arguments within 24 hours give the same execution: makes it safe to ' +
          'call again when the answer was lost.',
      },
    },
  },
  { name: 'list_executions', endpoint: listExecutions, defaults: PAGE },
  {
    name: 'get_execution',
    endpoint: readExecution,
    description: 'Reads an execution: its status, its state, and what it waits for.',
    ...EXECUTION,
  },
  {
    name: 'list_execution_events',
    endpoint: readEvents,
    description:
      'Reads what has happened in an execution, from the first event on. Read on with `after` set ' +
      'to the last sequence.',
    defaults: EVENTS,
    ...EXECUTION,
  },
  {
    name: 'cancel_execution',
    endpoint: cancelExecution,
    idempotent: true,
    destructive: true,
    ...EXECUTION,
  },
  { name: 'pause_execution', endpoint: pauseExecution, idempotent: true, ...EXECUTION },
  { name: 'resume_execution', endpoint: resumeExecution, idempotent: true, ...EXECUTION },
  { name: 'retry_execution', endpoint: retryExecution, ...EXECUTION },
  { name: 'fork_execution', endpoint: forkExecution, ...EXECUTION },
  { name: 'list_approvals', endpoint: listApprovals, ...EXECUTION },
  { name: 'approve_execution', endpoint: approveExecution, destructive: true, ...EXECUTION },
  { name: 'send_external_event', endpoint: deliverExternalEvent, ...EXECUTION },
  { name: 'list_agents', endpoint: listAgents, defaults: PAGE },
  { name: 'recall_facts', endpoint: recallFacts, readOnly: true },
];
