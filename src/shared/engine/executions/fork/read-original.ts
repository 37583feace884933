import { notFound } from '../../../domain/errors.ts';
import { type ExecutionRow, StoreUnavailableError } from '../../../store/store.ts';
import { findForCaller } from '../../advance/load-execution.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';

/**
 * Finds the execution that a retry or a fork carries on, and reads it. Retention may remove it between
 * two readings: then any error of the reading becomes a 404 that says so.
 */
export async function readOriginal<Read>(
  { store: { executions } }: Pick<UseCaseDeps, 'store'>,
  asked: Omit<Parameters<typeof findForCaller>[0], 'executions'>,
  read: (row: ExecutionRow) => Promise<Read>,
): Promise<Read> {
  const row = await findForCaller({ executions, ...asked });
  try {
    return await read(row);
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    const { executionId, tenantId } = row;
    if ((await executions.find(executionId, tenantId)) !== null) throw error;
    throw notFound(
      `execution ${executionId}: retention removed it while it was read; ` +
        'start its workflow again, or import it from an archive',
    );
  }
}
