import type { DiagnosisStore } from '../../readings/diagnosis.ts';
import { readCluster } from './cluster-reading.ts';
import type { Connection } from '../connection/connect.ts';
import { translateError } from '../connection/errors.ts';
import { readExecutionFacts } from './execution-facts.ts';
import { listOldestLive, readInstallationFacts } from './installation-facts.ts';
import { toIso } from '../rows.ts';
import { readOverview, readServerFacts } from './server-facts.ts';
import { readTableFacts } from './table-facts.ts';

export function createDiagnosisStore(connection: Connection): DiagnosisStore {
  return {
    executionFacts: (question) => connection.read(() => readExecutionFacts(connection, question)),
    clock: async () => toIso(connection.now()),
    // Outside any transaction: pragmas read the present connection and file.
    overview: async () => readOverview(connection),
    serverFacts: async ({ checkedBytesMax }) => {
      try {
        return readServerFacts(connection, checkedBytesMax);
      } catch (error) {
        throw translateError(error, { ambiguous: false });
      }
    },
    tableFacts: () => connection.read(() => readTableFacts(connection)),
    installationFacts: (params) => connection.read(() => readInstallationFacts(connection, params)),
    oldestLive: (params) => connection.read(() => listOldestLive(connection, params)),
    clusterReading: (bounds) => connection.read(() => readCluster(connection, bounds)),
  };
}
