import type { DiagnosisStore } from '../../readings/diagnosis.ts';
import { readCluster } from './cluster-reading.ts';
import type { LentSettings, PostgresPool } from '../connection/connect.ts';
import { readExecutionFacts } from './execution-facts.ts';
import { listOldestLive, readInstallationFacts } from './installation-facts.ts';
import type { Replica } from './replica-facts.ts';
import { readClock, readOverview, readServerFacts } from './server-facts.ts';
import { readTableFacts } from './table-facts.ts';

export function createDiagnosisStore(
  readers: PostgresPool,
  of: { readonly settings: LentSettings; readonly replica: Replica | null },
): DiagnosisStore {
  return {
    executionFacts: (question) => readExecutionFacts(readers, question),
    clock: () => readClock(readers),
    overview: () => readOverview(readers),
    serverFacts: () => readServerFacts(readers, of),
    tableFacts: () => readTableFacts(readers),
    installationFacts: (params) => readInstallationFacts(readers, params),
    oldestLive: (params) => listOldestLive(readers, params),
    clusterReading: (bounds) => readCluster(readers, bounds),
  };
}
