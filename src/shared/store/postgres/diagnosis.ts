import type { DiagnosisStore } from '../diagnosis.ts';
import type { PostgresPool } from './connect.ts';
import { readExecutionFacts } from './execution-facts.ts';

export function createDiagnosisStore(readers: PostgresPool): DiagnosisStore {
  return {
    executionFacts: (question) => readExecutionFacts(readers, question),
  };
}
