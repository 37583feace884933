import { findKeepProblem } from '../../domain/keepable-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { ModelToolCall } from '../../ports/models.ts';

/**
 * Calls that a model asked for: `{id, name, arguments}`, or `{id, type: "function", function: {name,
 * arguments}}` with the arguments as JSON text. A string says what is wrong.
 */
export function readToolCalls(value: JsonValue): readonly ModelToolCall[] | string {
  if (!Array.isArray(value)) return 'has tool_calls that are not a list';
  const calls: ModelToolCall[] = [];
  for (const item of value) {
    const call = isJsonObject(item) ? readCall(item) : null;
    if (call === null) {
      return 'has a tool call that is neither {id, name, arguments} nor {id, type: "function", function: {name, arguments}}';
    }
    calls.push(call);
  }
  return calls;
}

function readCall(item: JsonObject): ModelToolCall | null {
  const { id, function: called = null } = item;
  const { name, arguments: written } = isJsonObject(called) ? called : item;
  const args = readArguments(written ?? null);
  if (typeof id !== 'string' || typeof name !== 'string' || args === null) return null;
  return { id, name, arguments: args };
}

function readArguments(written: JsonValue): JsonObject | null {
  if (typeof written !== 'string') return isJsonObject(written) ? written : null;
  // Clients write no arguments as an empty text.
  if (written.trim() === '') return {};
  try {
    const value = JSON.parse(written) as JsonValue;
    return isJsonObject(value) && findKeepProblem(value) === null ? value : null;
  } catch {
    return null;
  }
}
