import type { JsonValue } from '../../domain/json.ts';
import { findKeepProblem } from '../../domain/keepable-json.ts';

/**
 * The JSON that a model wrote. Undefined if there is none, or if events and state cannot hold it.
 * Some models put JSON between fences despite instructions.
 */
export function readJsonAnswer(text: string): JsonValue | undefined {
  const [, fenced] = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/i.exec(text) ?? [];
  let value: JsonValue;
  try {
    value = JSON.parse(fenced ?? text) as JsonValue;
  } catch {
    return undefined;
  }
  return findKeepProblem(asInOutput(value)) === null ? value : undefined;
}

/** Text as both stores keep it: without U+0000, and with lone surrogates replaced. */
export function keepableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Arguments of a call stand three levels deep in an output, which may stand in a state. */
function asInOutput(value: JsonValue): JsonValue {
  return [[[[value]]]];
}
