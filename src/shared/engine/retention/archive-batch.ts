import type { ExecutionDocument } from '../../domain/execution/document/execution-document.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { ExecutionStore } from '../../store/store.ts';
import type { DueExecution } from '../../store/retention.ts';
import type { RetentionRun } from './run-retention.ts';

/** Puts executions into a file; answers how the file is called. */
export type WriteArchive = (params: {
  readonly name: string;
  readonly tenantId: string;
  readonly documents: AsyncIterable<ExecutionDocument>;
}) => Promise<string>;

export function createArchiving(
  executions: Pick<ExecutionStore, 'document'>,
  write: WriteArchive,
): NonNullable<RetentionRun['archive']> {
  async function* read(
    batch: readonly DueExecution[],
    found: Set<ExecutionId>,
  ): AsyncGenerator<ExecutionDocument> {
    for (const { executionId, tenantId } of batch) {
      const document = await executions.document(executionId, tenantId);
      // Null: somebody else has removed it meanwhile.
      if (document === null) continue;
      found.add(executionId);
      yield document;
    }
  }
  return async ({ batch, name, tenantId }) => {
    const found = new Set<ExecutionId>();
    const file = await write({ name, tenantId, documents: read(batch, found) });
    return { file, executionIds: found };
  };
}
