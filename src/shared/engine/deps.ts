import type { TerminalStatus } from '../domain/execution/status.ts';
import type { ExecutionId, TenantId, WorkItemId } from '../domain/ids.ts';
import type { Usage } from '../nodes/run.ts';
import type { Pseudonym } from '../domain/data-policy/redact.ts';
import type { PriceTable } from '../domain/models/price.ts';
import type { Cpu } from '../ports/cpu.ts';
import type { Ids } from '../ports/ids.ts';
import type { SecretRules } from '../ports/named-secrets.ts';
import type { Wake } from '../ports/wake.ts';
import type { Store } from '../store/store.ts';
import type { Admission } from './scheduling/admit-children.ts';
import type { Committer } from './commit/committer.ts';
import type { DefinitionCache } from './advance/definition-cache.ts';
import type { TenantDirectory } from './tenants/tenant-directory.ts';
import type { Timers } from './scheduling/timers.ts';

/** What every use case is given. */
export interface EngineDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly definitions: DefinitionCache;
  readonly tenants: TenantDirectory;
  readonly admission: Admission;
  readonly ids: Ids;
  readonly wake: Wake;
  readonly cpu: Cpu;
  readonly timers: Timers;
  readonly settings: EngineSettings;
  /** For data policies that hash what they hide; null: there is no key, so it is masked. */
  readonly pseudonym: Pseudonym;
  /** Of models that workers report to have called without saying what it cost. */
  readonly prices: PriceTable;
  /** Who registers a workflow is warned of secrets it may not name, where they are known. */
  readonly secretRules?: SecretRules;
  readonly report: EngineReport;
}

export interface EngineSettings {
  /** Lease of a work item, `scheduler.lease_seconds`. */
  readonly leaseMs: number;
  /** Name of this process, for leases of in-engine items. */
  readonly processId: string;
  readonly version: string;
  readonly host: string;
  /** Executions that may descend from one, `scheduler.max_descendants`; tenants may have their own. */
  readonly descendantsMax: number;
}

/** Counters and durations the engine reports; the process turns them into metrics and logs. */
export interface EngineReport {
  count(
    name:
      | 'commits'
      | 'commit_refusals'
      | 'unfenced_settles'
      | 'unrecorded_keys'
      | 'leases_reclaimed'
      | 'dead_letters'
      | 'retries'
      | 'items_claimed'
      | 'items_completed'
      | 'items_failed'
      | 'items_released'
      | 'executions_started'
      | 'timers_fired'
      | 'webhook_attempts'
      | 'schedule_fires'
      | 'executions_retired'
      | 'events_retired'
      | 'replay_records_deleted'
      | 'event_partitions_dropped'
      | 'event_partitions_shrunk'
      | 'artifacts_removed'
      | 'artifact_bytes_removed'
      | 'events'
      | 'model_tokens'
      | 'model_cost'
      | 'trace_spans',
    by: number,
    labels?: Readonly<Record<string, string>>,
  ): void;
  observe(
    name:
      | 'commit_batch_plans'
      | 'execution_seconds'
      | 'node_seconds'
      | 'tool_seconds'
      | 'claim_wait_seconds',
    value: number,
    labels?: Readonly<Record<string, string>>,
  ): void;
  /** An attempt at a node's work is over; absent: nobody traces, and nobody reads of it in a log. */
  attempt?(of: AttemptReport): void;
  /** An execution has ended. */
  ended?(of: EndReport): void;
  /** Something unexpected that was survived: logged once, with ids, without payload. */
  trouble(what: string, error: unknown, ids?: Readonly<Record<string, string>>): void;
}

export interface AttemptReport {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly workItemId: WorkItemId;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
  readonly nodeKind: string;
  /** Null: it is none of the kinds that call one. */
  readonly tool: string | null;
  /** Null: none was asked. `provider` null: a worker asked, and does not say whom. */
  readonly model: { readonly name: string; readonly provider: string | null } | null;
  /** Null: it ran in this process. */
  readonly workerId: string | null;
  readonly ms: number;
  /** ISO 8601, by the database's clock; null: just now. */
  readonly endedAt: string | null;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly usage: Usage | null;
}

export interface EndReport {
  readonly executionId: ExecutionId;
  readonly tenantId: TenantId;
  readonly workflowId: string;
  readonly status: TerminalStatus;
  readonly error: string | null;
  /** ISO 8601, by the database's clock. */
  readonly startedAt: string;
  readonly endedAt: string;
}
