import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import { usageError } from './exit-code.ts';
import { parseJson, readDocument } from './read-document.ts';

/** The value of an option such as `--input`: JSON text, or `@file` (`@-`: stdin) in JSON or YAML. */
export async function readJsonOption(option: string, text: string): Promise<JsonValue> {
  return text.startsWith('@') ? (await readDocument(text.slice(1))).value : parseJson(option, text);
}

export async function readObjectOption(option: string, text: string): Promise<JsonObject> {
  const value = await readJsonOption(option, text);
  if (isJsonObject(value)) return value;
  throw usageError(`${option} must be a JSON object, such as '{"order_id": 42}'`);
}
