import { setTimeout as delay } from 'node:timers/promises';

import { parseTenantId } from '../../src/shared/domain/access.ts';
import type { TerminalStatus } from '../../src/shared/domain/execution/status.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { RetentionPolicy } from '../../src/shared/domain/retention/retention-policy.ts';
import {
  previewRetention,
  type DueGroup,
} from '../../src/shared/engine/retention/preview-retention.ts';
import {
  runRetention,
  type RetentionResult,
} from '../../src/shared/engine/retention/run-retention.ts';
import { sweepAfterMs, type RetentionRequest } from '../../src/shared/engine/retention/scan-due.ts';
import type { Store } from '../../src/shared/store/store.ts';
import type { RetentionStore } from '../../src/shared/store/retention.ts';
import type { Config } from '../../src/shared/config/config.ts';
import { archiveTo } from '../support/archive-to.ts';
import { CliError, usageError } from '../support/exit-code.ts';
import { ids } from '../support/ids.ts';
import { onInterrupt } from '../support/on-interrupt.ts';
import { printJson, printLine, printNote, type OutputFormat } from '../support/output.ts';
import { printTable } from '../support/print-table.ts';
import { readConfig, type ConfigOptions } from '../support/read-config.ts';
import { withStore } from '../support/with-store.ts';

/** Whoever reaches the database itself shows no token. */
const CLI_ACTOR = 'system:cli';
const DAY_MS = 86_400_000;
const POLICIES_AT_A_TIME = 500;
const PROGRESS_MS = 1_000;

type BaseOptions = ConfigOptions & { readonly output: OutputFormat };
type PolicyOptions = BaseOptions & { readonly tenant: string; readonly workflow?: string };
type SelectOptions = BaseOptions & {
  readonly tenant?: string;
  readonly workflow?: string;
  readonly status?: TerminalStatus;
  /** Milliseconds. */
  readonly olderThan?: number;
};

export async function setPolicy(
  options: PolicyOptions & {
    readonly completed?: number;
    readonly failed?: number;
    readonly cancelled?: number;
  },
): Promise<void> {
  const { completed = null, failed = null, cancelled = null } = options;
  if (completed === null && failed === null && cancelled === null) {
    throw usageError('say for how long: --completed, --failed or --cancelled <days>');
  }
  const policy: RetentionPolicy = {
    tenantId: readTenant(options.tenant),
    workflowId: options.workflow ?? null,
    days: { completed, failed, cancelled },
  };
  await withRetention(options, (store) => store.setPolicy({ ...policy, actorId: CLI_ACTOR }));
  if (options.output === 'json') return printJson(shapePolicy(policy));
  printPolicies([policy]);
}

export async function listPolicies(
  options: BaseOptions & { readonly tenant?: string },
): Promise<void> {
  const { config } = readConfig(options, 'serve');
  const tenantId = options.tenant === undefined ? null : readTenant(options.tenant);
  const policies = await withRetention(options, (store) => readPolicies(store, tenantId));
  const defaults = defaultsOf(config);
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
  const isRemoved = await withRetention(options, (store) =>
    store.removePolicy({ tenantId, workflowId, actorId: CLI_ACTOR }),
  );
  const about = workflowId === null ? '' : ` for workflow ${workflowId}`;
  if (!isRemoved) {
    throw new CliError(
      `tenant ${tenantId} has no retention policy${about}: "svc retention list" shows what there is`,
    );
  }
  if (options.output === 'json') {
    return printJson({ tenant_id: tenantId, workflow_id: workflowId, removed: true });
  }
  printLine(`the policy of tenant ${tenantId}${about} is taken back`);
}

export async function preview(options: SelectOptions): Promise<void> {
  const request = readRequest(options);
  const groups = await withRetention(options, (store) => previewRetention(store, request));
  const total = {
    executions: groups.reduce((sum, group) => sum + group.executions, 0),
    events: groups.reduce((sum, group) => sum + group.events, 0),
  };
  if (options.output === 'json') {
    return printJson({ groups: groups.map(shapeGroup), ...total });
  }
  if (groups.length > 0) {
    printTable({
      head: ['TENANT', 'WORKFLOW', 'STATUS', 'EXECUTIONS', 'EVENTS', 'OLDEST END'],
      rows: groups.map((group) => [
        group.tenantId,
        group.workflowId,
        group.status,
        group.executions,
        group.events,
        group.oldest,
      ]),
    });
  }
  printNote(`${total.executions} executions with ${total.events} events would be removed now`);
}

/** Broken off by a signal, it ends after the batch under way; what is gone is gone. */
export async function run(
  options: SelectOptions & {
    readonly dryRun?: boolean;
    readonly archive?: string;
    readonly batch: number;
  },
): Promise<void> {
  if (options.dryRun === true) return preview(options);
  const request = readRequest(options);
  const { config } = readConfig(options, 'serve');
  const replayDays = config.retention.replayRecordsDays;
  const interrupt = onInterrupt('ending after the batch under way');
  const isBrokenOff = () => interrupt.signal.aborted;
  let shownAt = performance.now();
  const folder = options.archive ?? config.retention.archiveDir;
  const result = await openAndUse(options, (store) =>
    runRetention(
      {
        store: store.retention,
        ids,
        now: () => performance.now(),
        rest: (ms) => delay(ms),
      },
      {
        ...request,
        actorId: CLI_ACTOR,
        batchMax: options.batch,
        ...(folder !== null && { archive: archiveTo(folder, store) }),
        replayMs: replayDays === 0 ? null : replayDays * DAY_MS,
        isOver: isBrokenOff,
        onProgress(progress) {
          if (performance.now() - shownAt < PROGRESS_MS) return;
          shownAt = performance.now();
          printNote(`${describe(progress)} so far`);
        },
      },
    ).then(async (removed) => {
      if (!isBrokenOff()) await tend(store.retention, request);
      return removed;
    }),
  );
  interrupt.release();
  if (options.output === 'json') printJson({ ...shapeResult(result), ended: !isBrokenOff() });
  else printLine(describe(result));
  if (isBrokenOff()) throw new CliError('broken off: run it again to remove the rest');
}

/** Reads the whole table once, which holds nobody up; the rest takes milliseconds. */
export async function partition(options: BaseOptions & { readonly days: number }): Promise<void> {
  const { days } = options;
  if (options.output !== 'json') {
    printNote('reading through all events; nobody waits for it, and it can be broken off');
  }
  const outcome = await withRetention(options, (store) => store.partitionEvents({ days }));
  if (outcome === 'unsupported') {
    throw usageError(
      'partitions are for PostgreSQL: on SQLite events of removed executions are deleted',
    );
  }
  if (options.output === 'json')
    return printJson({ partitioned: true, changed: outcome === 'done' });
  printLine(
    outcome === 'done'
      ? `events are kept in partitions of ${days} days from the day after tomorrow on`
      : 'events are kept in partitions already',
  );
}

async function tend(store: RetentionStore, { defaults }: RetentionRequest): Promise<void> {
  const after = await sweepAfterMs(store, defaults);
  const { dropped, sweptEvents, postponed } = await store.tendPartitions({ sweepAfterMs: after });
  if (dropped > 0) printNote(`${dropped} partitions dropped`);
  if (sweptEvents > 0) printNote(`${sweptEvents} events deleted from partitions that stay`);
  if (postponed > 0) printNote(`${postponed} partitions were in use: the next run tries again`);
}

function readRequest(options: SelectOptions): RetentionRequest {
  const { olderThan = null, workflow = null, status = null, tenant } = options;
  if (olderThan !== null && olderThan < DAY_MS) {
    throw usageError('--older-than takes one day at least, such as 1d');
  }
  return {
    tenantId: tenant === undefined ? null : readTenant(tenant),
    workflowId: workflow,
    status,
    olderThanMs: olderThan,
    defaults: defaultsOf(readConfig(options, 'serve').config),
  };
}

function defaultsOf({ retention }: Config) {
  const { completedDays: completed, failedDays: failed, cancelledDays: cancelled } = retention;
  return { completed, failed, cancelled };
}

function withRetention<Result>(
  options: BaseOptions,
  work: (store: RetentionStore) => Promise<Result>,
): Promise<Result> {
  return openAndUse(options, (store) => work(store.retention));
}

function openAndUse<Result>(
  options: BaseOptions,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return withStore({ ...options, applicationName: 'svc-retention' }, work);
}

async function readPolicies(
  store: RetentionStore,
  tenantId: TenantId | null,
): Promise<readonly RetentionPolicy[]> {
  const all: RetentionPolicy[] = [];
  for (;;) {
    const limit = POLICIES_AT_A_TIME;
    const page = await store.listPolicies({ tenantId, limit, offset: all.length });
    all.push(...page);
    if (page.length < limit) return all;
  }
}

function printPolicies(policies: readonly RetentionPolicy[]): void {
  if (policies.length === 0) return;
  printTable({
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

function shapeGroup(group: DueGroup): object {
  const { tenantId, workflowId, status, executions, events, oldest } = group;
  return {
    tenant_id: tenantId,
    workflow_id: workflowId,
    status,
    executions,
    events,
    oldest_end: oldest,
  };
}

function shapeResult(result: RetentionResult): object {
  return {
    executions: result.executions,
    events: result.events,
    batches: result.batches,
    passed_over: result.passedOver,
    replay_records: result.replayRecords,
  };
}

function describe(result: RetentionResult): string {
  const { executions, events, replayRecords, passedOver } = result;
  const parts = [`${executions} executions with ${events} events removed`];
  if (replayRecords > 0) parts.push(`${replayRecords} replay records deleted`);
  if (passedOver > 0) parts.push(`${passedOver} changed meanwhile and were left`);
  return parts.join(', ');
}

function readTenant(text: string): TenantId {
  const tenantId = parseTenantId(text);
  if (tenantId !== null) return tenantId;
  throw usageError(`"${text}" is no tenant id: expected a-z, 0-9, - and _, up to 63`);
}
