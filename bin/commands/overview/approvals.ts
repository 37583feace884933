import { parseExecutionId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import type { WireListedApproval } from '../../../src/shared/clients/svc/overview-wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError } from '../../cli/exit-code.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { printPages, type PageOptions } from '../../cli/lists/pages.ts';
import { printTable } from '../../cli/print-table.ts';
import { tellOtherwise } from '../execution/approvals.ts';

export type ListApprovalsOptions = ClientOptions &
  PageOptions & {
    readonly status: 'pending' | 'decided';
    readonly workflow?: string;
  };

export async function listApprovals(options: ListApprovalsOptions): Promise<void> {
  const client = connectClient(options);
  const filter = { status: options.status, workflow_id: options.workflow ?? null };
  await printPages(options, {
    read: (page) => client.listAllApprovals({ ...filter, ...page }),
    member: 'approvals',
    print: ({ approvals }) =>
      options.status === 'decided' ? printDecided(approvals) : printOpen(approvals),
  });
}

export type DecideOptions = ClientOptions & {
  readonly workflow?: string;
  readonly node?: string;
  readonly reject?: boolean;
  readonly user?: string;
  readonly comment?: string;
  readonly limit?: number;
  readonly yes?: boolean;
};

/**
 * Acts only with `--yes`. Each decision names what its approval showed in the list, so one that shows
 * something else by then is refused.
 */
export async function decideApprovals(
  executions: readonly string[],
  options: DecideOptions,
): Promise<void> {
  const client = connectClient(options);
  const ids = new Set(executions.map((typed) => parseExecutionId(typed) ?? typed));
  const chosen = await findChosen(client, ids, options);
  if (options.yes === true) await decideAll(client, chosen, options);
  else preview(chosen, options);
  const missing = chosen.length === options.limit ? [] : withoutApproval(ids, chosen);
  if (missing.length > 0) throw new CliError(tellMissing(missing, options));
}

/** With a filter, an approval may be open that the filter leaves out. */
function tellMissing(executions: readonly string[], options: DecideOptions): string {
  const where = executions.join(', ');
  const filters = (['workflow', 'node'] as const).filter((name) => options[name] !== undefined);
  if (filters.length === 0) {
    return `no approval is open in ${where}: list those that are with: svc approval list`;
  }
  const named = filters.map((name) => `--${name}`).join(' and ');
  return `no open approval in ${where} fits ${named}: list all that are open with: svc approval list`;
}

function preview(chosen: readonly WireListedApproval[], options: DecideOptions): void {
  if (options.output === 'json') return printJson({ preview: true, total: chosen.length });
  if (chosen.length > 0) printOpen(chosen);
  printNote(`${chosen.length} approvals would be decided: add --yes to do it`);
}

function withoutApproval(
  ids: ReadonlySet<string>,
  chosen: readonly WireListedApproval[],
): readonly string[] {
  const found = new Set(chosen.map((one) => one.execution_id));
  return [...ids].filter((id) => !found.has(id));
}

async function decideAll(
  client: SvcClient,
  chosen: readonly WireListedApproval[],
  options: DecideOptions,
): Promise<void> {
  const refused: { readonly execution_id: string; readonly error: string }[] = [];
  let done = 0;
  for (let at = 0; at < chosen.length; at += PAGE) {
    const decisions = chosen.slice(at, at + PAGE).map((one) => decisionOn(one, options));
    const { results } = await client.decideApprovals(decisions);
    for (const { execution_id, accepted, error } of results) {
      if (accepted) done += 1;
      else refused.push({ execution_id, error: error ?? 'it is no longer open' });
    }
  }
  if (options.output === 'json') return printJson({ done, refused });
  if (refused.length > 0) {
    printTable({
      head: ['EXECUTION', 'REFUSED BECAUSE'],
      rows: refused.map(({ execution_id: id, error }) => [id, error]),
    });
  }
  const verb = options.reject === true ? 'rejected' : 'approved';
  printLine(`${done} ${verb}, ${refused.length} refused`);
}

/** As many as the API takes in one request. */
const PAGE = 100;

async function findChosen(
  client: SvcClient,
  ids: ReadonlySet<string>,
  { workflow, node, limit = Infinity }: DecideOptions,
): Promise<readonly WireListedApproval[]> {
  const chosen: WireListedApproval[] = [];
  let cursor: string | null = null;
  do {
    const query = { status: 'pending', workflow_id: workflow ?? null, limit: PAGE, cursor };
    const page = await client.listAllApprovals(query);
    const matching = page.approvals.filter(
      (one) =>
        (ids.size === 0 || ids.has(one.execution_id)) &&
        (node === undefined || one.node_id === node),
    );
    chosen.push(...matching);
    cursor = page.next_cursor;
  } while (cursor !== null && chosen.length < limit);
  return chosen.slice(0, limit);
}

function decisionOn(approval: WireListedApproval, options: DecideOptions): JsonObject {
  const { execution_id, node_id, step, shown_hash } = approval;
  return {
    execution_id,
    decision: options.reject === true ? 'rejected' : 'approved',
    node_id,
    ...(step !== null && { step }),
    ...(shown_hash !== null && { shown_hash }),
    ...(options.user !== undefined && { user_id: options.user }),
    ...(options.comment !== undefined && { comment: options.comment }),
  };
}

function printOpen(approvals: readonly WireListedApproval[]): void {
  printTable({
    head: [
      'EXECUTION',
      'WORKFLOW',
      'NODE',
      'REQUESTED',
      'DEADLINE',
      'OTHERWISE',
      'TOOL',
      'DESCRIPTION',
    ],
    rows: approvals.map((one) => [
      one.execution_id,
      one.workflow_id,
      one.node_id,
      one.requested_at,
      one.deadline_at,
      tellOtherwise(one),
      one.tool,
      one.description,
    ]),
  });
}

function printDecided(approvals: readonly WireListedApproval[]): void {
  printTable({
    head: ['EXECUTION', 'WORKFLOW', 'NODE', 'DECISION', 'USER', 'DECIDED', 'COMMENT'],
    rows: approvals.map((one) => [
      one.execution_id,
      one.workflow_id,
      one.node_id,
      one.decision,
      one.user_id,
      one.decided_at,
      one.comment,
    ]),
  });
}
