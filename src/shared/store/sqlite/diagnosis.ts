import type { DiagnosisStore } from '../diagnosis.ts';
import type { Connection } from './connect.ts';
import { readExecutionFacts } from './execution-facts.ts';

export function createDiagnosisStore(connection: Connection): DiagnosisStore {
  return {
    executionFacts: (question) => connection.read(() => readExecutionFacts(connection, question)),
  };
}
