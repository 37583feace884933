import { badRequest } from '../../domain/errors.ts';
import type { Problem, Warning } from '../../domain/workflow/problem.ts';

/** Problems told in the message; all of them are in the body. */
const PROBLEMS_IN_MESSAGE = 3;

/** The 400 for a definition. Warnings may tell why something is wrong: a missing field may be misspelt. */
export function refuseDefinition(
  problems: readonly (Problem | Warning)[],
  warnings: readonly Warning[],
): Error {
  const told = problems
    .slice(0, PROBLEMS_IN_MESSAGE)
    .map(({ pointer, message }) => (pointer === '' ? message : `${message} (at ${pointer})`));
  const rest = problems.length - told.length;
  const detail = told.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
  return badRequest(detail, {
    problems: problems.map((problem) => ({ ...problem })),
    ...(warnings.length > 0 && { warnings: warnings.map((warning) => ({ ...warning })) }),
  });
}
