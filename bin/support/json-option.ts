import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import { usageError } from './exit-code.ts';
import { parseJson, readDocument } from './read-document.ts';

/** The value of an option such as `--input`: JSON text, or `@file` (`@-`: stdin) in JSON or YAML. */
export function readJsonOption(option: string, text: string): JsonValue {
  return text.startsWith('@') ? readDocument(text.slice(1)).value : parseJson(option, text);
}

export function readObjectOption(option: string, text: string): JsonObject {
  const value = readJsonOption(option, text);
  if (isJsonObject(value)) return value;
  throw usageError(`${option} must be a JSON object, such as '{"order_id": 42}'`);
}
