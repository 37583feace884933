import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';

/** The input of an execution; `isBatch`: it is that of a batch, which is closed. */
export interface GivenInput {
  readonly input: JsonObject;
  readonly isBatch: boolean;
}

/** The input that keys and weights are read from: of a batch, that of its first start. */
export function ruledInput({ input, isBatch }: GivenInput): JsonObject {
  if (!isBatch) return input;
  const { items = [] } = input;
  const first = Array.isArray(items) ? (items as readonly JsonValue[])[0] : null;
  return isJsonObject(first) ? first : {};
}
