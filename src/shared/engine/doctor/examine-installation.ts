import { CHECKED_BYTES_SERVING_MAX } from '../../store/readings/diagnosis.ts';
import type { EngineDeps } from '../deps.ts';
import type { TenantReader } from '../flow/find-flow-wait.ts';
import { explainExecution } from '../executions/explain-execution.ts';
import type { SystemFacts } from '../system/system-facts.ts';
import { type Diagnosis, examine } from './doctor.ts';

type Deps = Pick<EngineDeps, 'store' | 'definitions' | 'pseudonym'> &
  TenantReader & {
    readonly system: Pick<SystemFacts, 'migrations' | 'setup' | 'currentMs'>;
  };

/** The checks of `svc doctor`, from within a process that serves requests. */
export function examineInstallation(
  deps: Deps,
  {
    limit,
    checkedBytesMax = CHECKED_BYTES_SERVING_MAX,
  }: {
    /** How many stuck executions are listed. */
    readonly limit: number;
    readonly checkedBytesMax?: number;
  },
): Promise<Diagnosis> {
  const { store, system } = deps;
  return examine({
    diagnosis: store.diagnosis,
    pauses: store.workflowPauses,
    explain: (of) => explainExecution(deps, of, of),
    migrations: system.migrations,
    localNow: system.currentMs,
    setup: system.setup(),
    limit,
    checkedBytesMax,
  });
}
