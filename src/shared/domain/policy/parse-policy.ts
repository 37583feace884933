import type { JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { ProblemList } from '../workflow/problem.ts';
import { pointerTo } from '../workflow/problem.ts';
import type { Policy } from './policy.ts';

const KEYS = ['blocked_tools', 'require_approval_for', 'model_allowlist'] as const;

/** The policy of a workflow or a node; null when there is none, or when it could not be read. */
export function parsePolicy(
  value: JsonValue,
  pointer: string,
  problems: ProblemList,
): Policy | null {
  if (value === null) return null;
  if (!isJsonObject(value)) {
    problems.add(pointer, `must be an object with ${KEYS.join(', ')}`);
    return null;
  }
  // A misspelt key would quietly allow what its author meant to forbid.
  for (const key of Object.keys(value)) {
    if (KEYS.some((known) => known === key)) continue;
    problems.add(pointer + pointerTo(key), `unknown key of a policy: known are ${KEYS.join(', ')}`);
  }
  return Object.fromEntries(
    KEYS.flatMap((key) => {
      const globs = value[key] ?? null;
      if (globs === null) return [];
      if (Array.isArray(globs) && globs.every((glob) => typeof glob === 'string' && glob !== '')) {
        return [[key, globs]];
      }
      problems.add(`${pointer}/${key}`, 'must be an array of globs, like "billing.*"');
      return [];
    }),
  );
}
