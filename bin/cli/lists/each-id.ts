import type { ApiError } from '../../../src/shared/clients/svc/request.ts';
import { CliError, EXIT, usageError } from '../exit-code.ts';
import { printNote } from '../output.ts';

/** So many ids are handled together at most. */
const TOGETHER_MAX = 100;

/**
 * Acts on one id, or with `-` on each line of stdin, one after another as they arrive. A refusal of one
 * id does not stop the others; the command then ends with exit code 1. `actTogether` gets the ids that
 * have arrived together, and gives back those that are left to `act`.
 */
export async function eachId(
  id: string,
  act: (id: string) => Promise<void>,
  actTogether: (ids: readonly string[]) => Promise<readonly string[]> = (ids) =>
    Promise.resolve(ids),
): Promise<void> {
  if (id !== '-') return act(id);
  if (process.stdin.isTTY) {
    throw usageError(
      '"-" reads ids from stdin: pipe them, such as from: svc execution list -o ids',
    );
  }
  let count = 0;
  let refused = 0;
  for await (const ids of readIds()) {
    count += ids.length;
    const left = ids.length > 1 ? await actTogether(ids) : ids;
    for (const one of left) {
      try {
        await act(one);
      } catch (error) {
        if (!isAboutThisId(error)) throw error;
        refused += 1;
        printNote(`${one}: ${error.message}`);
      }
    }
  }
  if (count === 0) printNote('stdin named no ids: nothing was done');
  if (refused > 0) {
    throw new CliError(`${refused} of ${count} were refused, for the reasons above`);
  }
}

/** The ids on stdin, in parts: each has those that arrived since the last. */
async function* readIds(): AsyncGenerator<readonly string[]> {
  let unfinished = '';
  for await (const text of process.stdin.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = `${unfinished}${text}`.split('\n');
    unfinished = lines.pop() ?? '';
    yield* inParts(lines);
  }
  yield* inParts([unfinished]);
}

function* inParts(lines: readonly string[]): Generator<readonly string[]> {
  const ids = lines.map((line) => line.trim()).filter((line) => line !== '');
  for (let at = 0; at < ids.length; at += TOGETHER_MAX) yield ids.slice(at, at + TOGETHER_MAX);
}

/** Another id may fare better; a wrong token or a broken runtime is the same for all. */
function isAboutThisId(error: unknown): error is ApiError | CliError {
  if (error instanceof CliError) return error.exitCode === EXIT.failure;
  if (!(error instanceof Error) || error.name !== 'ApiError') return false;
  return [400, 404, 409, 422].includes((error as ApiError).status);
}
