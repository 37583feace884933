import {
  listAllPolicies,
  removeRetentionPolicy,
  setRetentionPolicy,
} from '../../../src/shared/engine/retention/policies.ts';
import { SvcError } from '../../../src/shared/domain/errors.ts';
import type { RetentionPolicy } from '../../../src/shared/domain/retention/retention-policy.ts';
import { CliError, usageError } from '../../cli/exit-code.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { printList } from '../../cli/lists/print-list.ts';
import { readConfig } from '../../boot/read-config.ts';
import {
  CLI_ACTOR,
  readTenant,
  withRetention,
  type RetentionOptions,
} from '../../cli/retention-request.ts';
import { retentionTimes } from '../../../src/runtime/retention-times.ts';

type PolicyOptions = RetentionOptions & { readonly tenant: string; readonly workflow?: string };

export async function setPolicy(
  options: PolicyOptions & {
    readonly completed?: number;
    readonly failed?: number;
    readonly cancelled?: number;
  },
): Promise<void> {
  const { completed = null, failed = null, cancelled = null } = options;
  if (completed === null && failed === null && cancelled === null) {
    throw usageError('give --completed, --failed or --cancelled <days>');
  }
  const policy: RetentionPolicy = {
    tenantId: readTenant(options.tenant),
    workflowId: options.workflow ?? null,
    days: { completed, failed, cancelled },
  };
  const caller = { tenantId: policy.tenantId, actorId: CLI_ACTOR };
  await withRetention(options, (store) => setRetentionPolicy({ store }, caller, policy));
  if (options.output === 'json') return printJson(shapePolicy(policy));
  printPolicies([policy]);
}

export async function listPolicies(
  options: RetentionOptions & { readonly tenant?: string },
): Promise<void> {
  const { config } = readConfig(options, 'serve');
  const tenantId = options.tenant === undefined ? null : readTenant(options.tenant);
  const policies = await withRetention({ ...options, onlyReads: true }, (store) =>
    listAllPolicies({ store }, { tenantId }),
  );
  const { defaults } = retentionTimes(config);
  if (options.output === 'json') {
    return printJson({ policies: policies.map(shapePolicy), default: shapeDays(defaults) });
  }
  printPolicies(policies);
  const { completed, failed, cancelled } = shapeDays(defaults);
  printNote(
    `without a policy: completed ${showDays(completed)}, failed ${showDays(failed)}, ` +
      `cancelled ${showDays(cancelled)}`,
  );
}

export async function removePolicy(options: PolicyOptions): Promise<void> {
  const tenantId = readTenant(options.tenant);
  const workflowId = options.workflow ?? null;
  const caller = { tenantId, actorId: CLI_ACTOR };
  const about = workflowId === null ? '' : ` for workflow ${workflowId}`;
  await withRetention(options, (store) =>
    removeRetentionPolicy({ store }, caller, { workflowId }),
  ).catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
    throw new CliError(
      `tenant ${tenantId} has no retention policy${about}: "svc retention list" shows all policies`,
    );
  });
  if (options.output === 'json') {
    return printJson({ tenant_id: tenantId, workflow_id: workflowId, removed: true });
  }
  printLine(`removed the policy of tenant ${tenantId}${about}`);
}

function printPolicies(policies: readonly RetentionPolicy[]): void {
  printList({
    member: 'policies',
    head: ['TENANT', 'WORKFLOW', 'COMPLETED', 'FAILED', 'CANCELLED'],
    rows: policies.map(({ tenantId, workflowId, days }) => [
      tenantId,
      workflowId ?? '(all others)',
      showDays(days.completed),
      showDays(days.failed),
      showDays(days.cancelled),
    ]),
  });
}

function showDays(days: number | null): string {
  if (days === null) return '-';
  return days === 0 ? 'for good' : `${days} days`;
}

function shapePolicy({ tenantId, workflowId, days }: RetentionPolicy): object {
  return {
    tenant_id: tenantId,
    workflow_id: workflowId,
    completed_days: days.completed,
    failed_days: days.failed,
    cancelled_days: days.cancelled,
  };
}

function shapeDays({ completed, failed, cancelled }: RetentionPolicy['days']) {
  return { completed: completed ?? 0, failed: failed ?? 0, cancelled: cancelled ?? 0 };
}
