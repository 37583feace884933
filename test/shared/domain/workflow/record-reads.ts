import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../../src/shared/domain/json.ts';

/**
 * Returns the same value, but reports every read of a field, present or absent. Paths are like
 * `branches.*.target`. Listing the fields of an object is not a read.
 */
export function recordReads<Value extends JsonObject | readonly JsonValue[]>(
  value: Value,
  onRead: (path: string) => void,
  path: readonly string[] = [],
): Value {
  const isList = Array.isArray(value);
  const note = (key: string | symbol) => {
    if (typeof key === 'string' && !isList) onRead([...path, key].join('.'));
  };
  return new Proxy(value, {
    get(target, key) {
      note(key);
      const inner: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol') return inner;
      if (!isJsonObject(inner) && !Array.isArray(inner)) return inner;
      return recordReads(inner, onRead, [...path, isList ? '*' : key]);
    },
    has(target, key) {
      note(key);
      return Reflect.has(target, key);
    },
  });
}
