import { hashJson } from '../canonical-json.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { approvalQuestion } from './judge-work.ts';

/**
 * Hashes of the calls in a model's output that a person approved. The node that makes such a call
 * needs no second approval: each grant covers one call of that tool with those arguments.
 */
export function grantedCallsOf(
  output: JsonValue,
  approvedHashes: readonly string[],
): readonly string[] {
  if (approvedHashes.length === 0 || !isJsonObject(output)) return [];
  const { tool_calls: calls = null } = output;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: JsonValue) => {
    if (!isJsonObject(call) || typeof call['name'] !== 'string') return [];
    const { shown } = approvalQuestion(call['name'], call['arguments'] ?? null);
    const hash = hashJson(shown);
    return approvedHashes.includes(hash) ? [hash] : [];
  });
}
