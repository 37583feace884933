import type { Pseudonym } from '../domain/data-policy/redact.ts';
import type { PriceTable } from '../domain/models/price.ts';
import type { Cpu } from '../ports/cpu.ts';
import type { Ids } from '../ports/ids.ts';
import type { SecretRules } from '../ports/named-secrets.ts';
import type { Wake } from '../ports/wake.ts';
import type { Store } from '../store/store.ts';
import type { Admission } from './admission/admission.ts';
import type { QuotaAdmission } from './scheduling/admit-quota-items.ts';
import type { Committer } from './commit/committer.ts';
import type { DefinitionCache } from './advance/definition-cache.ts';
import type { EndsHere } from './advance/ends-here.ts';
import type { HeldExecutions } from './advance/held-executions.ts';
import type { EngineReport } from './report.ts';
import type { TenantDirectory } from './tenants/tenant-directory.ts';
import type { Timers } from './scheduling/timers.ts';

/** The dependencies of every use case. */
export interface EngineDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly definitions: DefinitionCache;
  readonly heldExecutions: HeldExecutions;
  readonly endsHere: EndsHere;
  readonly tenants: TenantDirectory;
  readonly admission: Admission;
  readonly quotaAdmission: QuotaAdmission;
  readonly ids: Ids;
  readonly wake: Wake;
  readonly cpu: Cpu;
  readonly timers: Timers;
  readonly settings: EngineSettings;
  /** For data policies that hash what they hide; null: there is no key, so it is masked. */
  readonly pseudonym: Pseudonym;
  /** Prices of models, for workers that report usage without a cost. */
  readonly prices: PriceTable;
  /** If set, the registration of a workflow warns about secrets that it may not name. */
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
  /** Bytes of an input, `api.body_bytes_max`; those of a batch together have no more. */
  readonly inputBytesMax: number;
  /** Code that does not fit the journal fails its function, as tests want it; absent: it waits for a deploy. */
  readonly failsMisfits?: boolean;
}
