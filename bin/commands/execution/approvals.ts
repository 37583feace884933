import type { WireApproval } from '../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { noteNone } from '../../cli/lists/notes.ts';
import { printFields, printJson, printLine, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';

/** Lists the open approvals, each with the call that it would release, and the decided ones. */
export async function listApprovals(executionId: string, options: ClientOptions): Promise<void> {
  const answer = await connectClient(options).listApprovals(executionId);
  if (options.output === 'json') return printJson(answer);
  const { pending, decided } = answer;
  for (const [index, approval] of pending.entries()) {
    if (index > 0) printLine('');
    printFields(fieldsOf(approval));
  }
  if (pending.length === 0) noteNone('pending');
  if (decided.length === 0) return;
  if (pending.length > 0) printLine('');
  printTable({
    head: ['NODE', 'DECISION', 'USER', 'DECIDED', 'COMMENT'],
    rows: decided.map((one) => [
      one.node_id,
      one.decision,
      one.user_id,
      one.decided_at,
      one.comment,
    ]),
  });
}

/** On stderr: stdout is for what becomes of the decision. */
export function noteApproval(approval: WireApproval): void {
  for (const [name, value] of Object.entries(fieldsOf(approval))) {
    if (value === null || value === undefined) continue;
    printNote(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
}

function fieldsOf(approval: WireApproval): Readonly<Record<string, unknown>> {
  const { tool = null, shown } = approval;
  return {
    node: approval.node_id,
    step: approval.step ?? null,
    description: approval.description,
    tool,
    arguments: tool === null ? null : approval.arguments,
    // Approvals of other things than a call say themselves what they are about.
    shown: tool === null ? shown : null,
    hash: approval.shown_hash,
    requested: approval.requested_at,
    deadline: approval.deadline_at ?? null,
    otherwise: tellOtherwise(approval),
  };
}

/** The consequence of a rejection and of the deadline; null: the runtime is older than the field. */
export function tellOtherwise({ otherwise }: Pick<WireApproval, 'otherwise'>): string | null {
  if (!otherwise) return null;
  const { outcome, to } = otherwise;
  return to.length === 0 ? outcome : `${outcome}: ${to.join(', ')}`;
}
