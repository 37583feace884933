import { once } from 'node:events';

import { shapeProblem } from '../../src/api/endpoints/audit/problem-shape.ts';
import { parseTenantId } from '../../src/shared/domain/access.ts';
import type { AuditProblem } from '../../src/shared/domain/audit/verify-window.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import { exportAudit } from '../../src/shared/engine/audit/export-audit.ts';
import { verifyAudit } from '../../src/shared/engine/audit/verify-audit.ts';
import type { ExportedItem } from '../../src/shared/store/audit.ts';
import { CliError, usageError } from '../cli/exit-code.ts';
import { printJson, printLine, type OutputFormat } from '../cli/output.ts';
import type { ConfigOptions } from '../boot/read-config.ts';
import { withStore } from '../cli/with-store.ts';

type AuditOptions = ConfigOptions & { readonly tenant?: string };

const PROBLEMS_TOLD = 20;
const READING = { applicationName: 'svc-audit', onlyReads: true };

/** Exit code 1 when something is not as it was sealed; the first such thing is named first. */
export async function verifyLog(
  options: AuditOptions & { readonly output: OutputFormat; readonly head?: string },
): Promise<void> {
  const tenantId = readTenant(options);
  const expected = readHead(options.head);
  const verdict = await withStore({ ...options, ...READING }, (store) =>
    verifyAudit(store.audit, { tenantId, expected }),
  );
  const { windows, items, retiredItems, retiredExecutions, head, problems } = verdict;
  const { importedEvents, importedExecutions, definitions, executions } = verdict;
  if (options.output === 'json') {
    printJson({
      ok: problems.length === 0,
      windows,
      items,
      retired_items: retiredItems,
      retired_executions: retiredExecutions,
      imported_events: importedEvents,
      imported_executions: importedExecutions,
      definitions,
      executions,
      head: nameHead(head),
      sealed_until: head.windowNumber === 0 ? null : head.coversTo,
      problems: problems.map(shapeProblem),
    });
  } else {
    for (const problem of problems.slice(0, PROBLEMS_TOLD)) printLine(describeProblem(problem));
    const until = head.windowNumber === 0 ? '' : ` up to ${head.coversTo}`;
    printLine(`${items} items in ${windows} windows match their seals${until}`);
    if (retiredItems > 0 || retiredExecutions > 0) {
      printLine(
        `of these, ${retiredItems} were removed by retention with ${retiredExecutions} executions, ` +
          'and match their hashes',
      );
    }
    if (importedExecutions > 0) {
      printLine(
        `${importedEvents} events of ${importedExecutions} imported executions match their imports`,
      );
    }
    if (executions + definitions > 0) {
      printLine(`${executions} executions and ${definitions} definitions agree with the log`);
    }
    if (windows > 0) printLine(`head ${nameHead(head)}`);
  }
  if (problems.length > 0) throw new CliError('the audit log does not match its seals');
}

/** One line of JSON for each item, oldest first. */
export async function exportLog(
  options: AuditOptions & { readonly since?: string; readonly until?: string },
): Promise<void> {
  const tenantId = readTenant(options);
  const range = { since: options.since ?? null, until: options.until ?? null };
  await withStore({ ...options, ...READING }, async (store) => {
    for await (const item of exportAudit({ store }, { tenantId, ...range })) {
      const line = `${JSON.stringify(shapeItem(item))}\n`;
      if (!process.stdout.write(line)) await once(process.stdout, 'drain');
    }
  });
}

function shapeItem(item: ExportedItem): object {
  return {
    id: item.id,
    tenant_id: item.tenantId,
    execution_id: item.executionId,
    sequence: item.sequence,
    event_type: item.eventType,
    node_id: item.nodeId,
    actor_id: item.actorId,
    created_at: item.createdAt,
    payload: item.payload,
  };
}

function describeProblem(problem: AuditProblem): string {
  const { what, tenantId, windowNumber, sealNumber, row } = problem;
  const place = [
    tenantId === null ? null : `tenant ${tenantId}`,
    sealNumber === null ? null : `seal ${sealNumber}`,
    windowNumber === null ? null : `window ${windowNumber}`,
  ];
  const thing =
    row === null
      ? null
      : row.sequence === null
        ? `item ${row.id}`
        : `item ${row.id}, event ${row.sequence} of ${row.executionId ?? 'an execution'}`;
  return [WORDS[what], thing, ...place].filter((part) => part !== null).join(': ');
}

const WORDS: Readonly<Record<AuditProblem['what'], string>> = {
  row_changed: 'changed after it was sealed',
  row_removed: 'removed after it was sealed',
  row_added: 'added to a sealed period',
  seal_changed: 'the seal was changed',
  seal_out_of_chain: 'the seal does not continue the previous one',
  window_changed: 'the window was changed, or a seal of it removed',
  window_out_of_chain: 'the window does not continue the previous one',
  window_missing: 'the sealed window is missing',
  retirement_unproved: 'retention recorded removed executions without an audit entry',
  import_unproved: 'an import does not match its audit entry',
  definition_changed: 'the definition is not the one that was registered',
  definition_removed: 'the definition of a logged registration is missing',
  execution_changed: 'status, workflow or number of events do not match its events',
};

function nameHead(head: { readonly windowNumber: number; readonly hash: string }): string {
  return `${head.windowNumber}:${head.hash}`;
}

function readHead(text: string | undefined) {
  if (text === undefined) return null;
  const match = /^(\d{1,9}):([0-9a-f]{64})$/.exec(text);
  if (match === null) throw usageError('--head takes a head that an earlier verification printed');
  return { windowNumber: Number(match[1]), hash: match[2] ?? '' };
}

function readTenant({ tenant }: AuditOptions): TenantId | null {
  if (tenant === undefined) return null;
  const tenantId = parseTenantId(tenant);
  if (tenantId !== null) return tenantId;
  throw usageError(`"${tenant}" is not a tenant id: expected a-z, 0-9, - and _, up to 63`);
}
