import { createInterface } from 'node:readline';

import type { ApiError } from '../../../src/shared/clients/svc/request.ts';
import { CliError, usageError } from '../exit-code.ts';
import { printNote } from '../output.ts';

/**
 * Acts on one id, or with `-` on each line of stdin, one after another as they arrive. A refusal of one
 * id does not stop the others; the command then ends with exit code 1.
 */
export async function eachId(id: string, act: (id: string) => Promise<void>): Promise<void> {
  if (id !== '-') return act(id);
  if (process.stdin.isTTY) {
    throw usageError(
      '"-" reads ids from stdin: pipe them, such as from: svc execution list -o ids',
    );
  }
  let count = 0;
  let refused = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    const one = line.trim();
    if (one === '') continue;
    count += 1;
    try {
      await act(one);
    } catch (error) {
      if (!isAboutThisId(error)) throw error;
      refused += 1;
      printNote(`${one}: ${error.message}`);
    }
  }
  if (count === 0) printNote('stdin named no ids: nothing was done');
  if (refused > 0) {
    throw new CliError(`${refused} of ${count} were refused, for the reasons above`);
  }
}

/** Another id may fare better; a wrong token or a broken runtime is the same for all. */
function isAboutThisId(error: unknown): error is ApiError {
  if (!(error instanceof Error) || error.name !== 'ApiError') return false;
  return [400, 404, 409, 422].includes((error as ApiError).status);
}
