import type { WireExecution } from '../../../src/shared/clients/svc/wire.ts';
import { noteApproval } from './approvals.ts';
import { describePause } from './pause.ts';
import { shortenTexts } from './shorten-texts.ts';
import { tellEnding, tellUndo } from './tell-end.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError } from '../../cli/exit-code.ts';
import { readJsonOption, readObjectOption } from '../../cli/json-option.ts';
import { printFields, printJson, printLine } from '../../cli/output.ts';
import { printPages, type PageOptions } from '../../cli/lists/pages.ts';
import { printTable } from '../../cli/print-table.ts';

export async function listExecutions(
  options: ClientOptions &
    PageOptions & {
      readonly status?: string;
      readonly workflow?: string;
      readonly query?: string;
    },
): Promise<void> {
  const client = connectClient(options);
  const filter = {
    status: options.status ?? null,
    workflow_id: options.workflow ?? null,
    q: options.query ?? null,
  };
  await printPages(options, {
    read: (page) => client.listExecutions({ ...filter, ...page }),
    member: 'executions',
    print: ({ executions }) =>
      printTable({
        head: [
          'EXECUTION',
          'WORKFLOW',
          'STATUS',
          'CREATED',
          'COMPLETED',
          'WAITS FOR',
          'FAILED WITH',
        ],
        rows: executions.map((row) => [
          row.execution_id,
          row.workflow_id,
          row.status,
          row.created_at,
          row.completed_at,
          describeWait(row) ?? describeApproval(row),
          describeFailure(row),
        ]),
      }),
  });
}

export async function showExecution(executionId: string, options: ClientOptions): Promise<void> {
  printExecution(await connectClient(options).readExecution(executionId), options);
}

export async function approveExecution(
  executionId: string,
  options: ClientOptions & {
    readonly reject?: boolean;
    readonly node?: string;
    readonly step?: string;
    readonly user?: string;
    readonly comment?: string;
    readonly shownHash?: string;
    readonly statePatch?: string;
  },
): Promise<void> {
  const decision = options.reject === true ? 'rejected' : 'approved';
  const client = connectClient(options);
  const open = (await client.listApprovals(executionId)).pending.filter(
    ({ node_id: node, step }) =>
      (options.node === undefined || node === options.node) &&
      (options.step === undefined || step === options.step),
  );
  for (const approval of open) noteApproval(approval);
  // The decision names the shown call, so a call that has changed in between is refused.
  const shownHash = options.shownHash ?? (open.length === 1 ? open[0]?.shown_hash : null) ?? null;
  const answer = await client.approveExecution(executionId, {
    decision,
    ...(options.node !== undefined && { node_id: options.node }),
    ...(options.step !== undefined && { step: options.step }),
    ...(options.user !== undefined && { user_id: options.user }),
    ...(options.comment !== undefined && { comment: options.comment }),
    ...(shownHash !== null && { shown_hash: shownHash }),
    ...(options.statePatch !== undefined && {
      state_patch: await readObjectOption('--state-patch', options.statePatch),
    }),
  });
  if (options.output === 'json') printJson(answer);
  else if (answer.accepted) printLine(`${decision} ${answer.node_id ?? answer.execution_id}`);
  if (!answer.accepted) {
    throw new CliError(
      `no approval is open: see why it waits with: svc execution explain ${answer.execution_id}`,
    );
  }
}

export async function sendEvent(
  executionId: string,
  correlationKey: string,
  options: ClientOptions & { readonly payload: string },
): Promise<void> {
  const payload = await readJsonOption('--payload', options.payload);
  const answer = await connectClient(options).sendEvent({ executionId, correlationKey, payload });
  if (options.output === 'json') printJson(answer);
  else if (answer.accepted) printLine(`delivered ${correlationKey} to ${answer.execution_id}`);
  if (!answer.accepted) {
    throw new CliError(`not accepted: ${answer.execution_id} has ended`);
  }
}

/** Null: it has begun, or has ended. */
function describeWait({ waiting_for: wait }: WireExecution): string | null {
  if (wait === undefined || wait === null) return null;
  const of = wait.key === null ? '' : ` of ${wait.key}`;
  const until = wait.until ? ` until ${wait.until}` : '';
  return `${wait.kind}${of}${until}`;
}

/** Null: nobody has to decide anything. */
function describeApproval({ awaiting_approval: approval }: WireExecution): string | null {
  if (approval === undefined || approval === null) return null;
  return `approval of ${approval.step ?? approval.node_id}`;
}

/** The class of the error and the node; null: it has not failed, or the class is not known. */
function describeFailure(row: WireExecution): string | null {
  const { error_class: errorClass, error_node_id: nodeId } = row;
  if (errorClass === undefined || errorClass === null) return null;
  return nodeId ? `${errorClass} (node ${nodeId})` : errorClass;
}

export function printExecution(execution: WireExecution, options: ClientOptions): void {
  if (options.output === 'json') return printJson(execution);
  printFields({
    execution: execution.execution_id,
    workflow: [execution.workflow_id, execution.workflow_version].filter(Boolean).join(' '),
    status: execution.status,
    labels:
      Object.entries(execution.labels ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(', ') || null,
    'waits for': describeWait(execution),
    'ends as': tellEnding(execution),
    error: execution.error,
    class: execution.error ? execution.failure?.error_class : null,
    node: execution.error ? execution.failure?.node_id : null,
    undo: tellUndo(execution),
    'waiting on':
      execution.waiting_on
        ?.map(({ node_id: node, waiting_for: what, correlation_key: key }) =>
          key ? `${node} (${what} ${key})` : `${node} (${what})`,
        )
        .join(', ') || null,
    paused: execution.pauses?.map(describePause).join(', ') || null,
    'retry of': execution.retried_from?.execution_id ?? null,
    'fork of': execution.forked_from?.execution_id ?? null,
    'retried as': execution.retried_as ?? null,
    imported: execution.imported
      ? `${execution.imported.at} by ${execution.imported.actor_id}`
      : null,
    'nodes completed': execution.steps_executed,
    created: execution.created_at,
    completed: execution.completed_at,
    // A pipe gets it whole.
    state: process.stdout.isTTY ? shortenTexts(execution.state ?? null) : execution.state,
  });
}
