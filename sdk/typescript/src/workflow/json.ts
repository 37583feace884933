/** A value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** The same object without members that are undefined, in the order given. */
export function dropAbsent(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Each member changed by `change`, in the order of the names, so that the order written does not matter. */
export function mapByName<Value>(
  members: Readonly<Record<string, Value>> | undefined,
  change: (value: Value) => JsonValue,
): JsonObject | undefined {
  if (members === undefined) return undefined;
  const names = Object.keys(members).sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = members[name];
      return value === undefined ? [] : [[name, change(value)]];
    }),
  );
}
