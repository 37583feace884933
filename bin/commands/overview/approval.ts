import type { WireApproval } from '../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError } from '../../cli/exit-code.ts';
import { listApprovals } from '../execution/approvals.ts';
import { approveExecution } from '../execution/execution.ts';

export type OneDecision = ClientOptions & {
  readonly node?: string;
  readonly step?: string;
  readonly user?: string;
  readonly comment?: string;
  readonly shownHash?: string;
};

/** Prints what the open approvals of an execution show, and its decided ones. */
export function showApproval(executionId: string, options: ClientOptions): Promise<void> {
  return listApprovals(executionId, options);
}

/** Decides every open approval of the execution that fits; each as it was shown. */
export async function decideOne(
  executionId: string,
  decision: 'approve' | 'reject',
  options: OneDecision,
): Promise<void> {
  const { pending } = await connectClient(options).listApprovals(executionId);
  const fitting = pending.filter(
    ({ node_id: node, step }) =>
      (options.node === undefined || node === options.node) &&
      (options.step === undefined || step === options.step),
  );
  if (fitting.length > 1) {
    throw new CliError(
      `${executionId} has several open approvals: choose one with --node or --step: ${namesOf(fitting)}`,
    );
  }
  if (fitting.length === 0 && pending.length > 0) {
    throw new CliError(
      `no open approval of ${executionId} fits: choose one with --node or --step: ${namesOf(pending)}`,
    );
  }
  await approveExecution(executionId, { ...options, reject: decision === 'reject' });
}

function namesOf(approvals: readonly Pick<WireApproval, 'node_id' | 'step'>[]): string {
  return approvals
    .map(({ node_id: node, step }) => (step ? `${node} (step ${step})` : node))
    .join(', ');
}
