import { parseTenantId } from '../../src/shared/domain/access.ts';
import type { TerminalStatus } from '../../src/shared/domain/execution/status.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { RetentionRequest } from '../../src/shared/engine/retention/scan-due.ts';
import type { Store } from '../../src/shared/store/store.ts';
import { usageError } from './exit-code.ts';
import type { OutputFormat } from './output.ts';
import { readConfig, type ConfigOptions } from '../boot/read-config.ts';
import { retentionTimes } from '../../src/runtime/retention-times.ts';
import { withStore } from './with-store.ts';

/** Direct access to the database needs no token. */
export const CLI_ACTOR = 'system:cli';
const DAY_MS = 86_400_000;

export type RetentionOptions = ConfigOptions & { readonly output: OutputFormat };
export type SelectOptions = RetentionOptions & {
  readonly tenant?: string;
  readonly workflow?: string;
  readonly status?: TerminalStatus;
  /** Milliseconds. */
  readonly olderThan?: number;
};

export function readRequest(options: SelectOptions): RetentionRequest {
  const { olderThan = null, workflow = null, status = null, tenant } = options;
  if (olderThan !== null && olderThan < DAY_MS) {
    throw usageError('--older-than takes one day at least, such as 1d');
  }
  return {
    tenantId: tenant === undefined ? null : readTenant(tenant),
    workflowId: workflow,
    status,
    olderThanMs: olderThan,
    defaults: retentionTimes(readConfig(options, 'serve').config).defaults,
  };
}

export function readTenant(text: string): TenantId {
  const tenantId = parseTenantId(text);
  if (tenantId !== null) return tenantId;
  throw usageError(`"${text}" is not a tenant id: expected a-z, 0-9, - and _, up to 63`);
}

export function withRetention<Result>(
  options: RetentionOptions & { readonly onlyReads?: boolean },
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return withStore({ ...options, applicationName: 'svc-retention' }, work);
}
