import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';

/** The statements of JSON Schemas about a member of a value. */
export type Member =
  /** Its schemas; none: nothing is said about it. */
  | { readonly is: 'known'; readonly schemas: readonly JsonObject[] }
  /** Not declared. `declared`: members that are. */
  | {
      readonly is: 'unknown';
      readonly declared: readonly string[];
      /** Whether the schema says that there may be others. */
      readonly isOpen: boolean;
    };

const ANYTHING: Member = { is: 'known', schemas: [] };

/**
 * Looks members up in JSON Schemas: through references inside the schema and through allOf, anyOf,
 * oneOf and conditions, any of which may declare a member. Where it cannot tell, everything is known.
 */
export class SchemaMembers {
  readonly #root: JsonObject;
  readonly #parts = new WeakMap<JsonObject, readonly JsonObject[] | null>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Null for `key`: some position or member. */
  memberOf(schemas: readonly JsonObject[], key: string | number | null): Member {
    const parts: JsonObject[] = [];
    for (const schema of schemas) {
      const found = this.#partsOf(schema);
      if (found === null) return ANYTHING;
      parts.push(...found);
    }
    const isPosition = typeof key === 'number' || key === null || /^\d+$/.test(key);
    const items = isPosition ? itemsOf(parts) : [];
    if (items.length > 0) return { is: 'known', schemas: items };
    return typeof key === 'string' ? namedMember(parts, key) : ANYTHING;
  }

  /** The schemas that hold for what one holds for; null: something cannot be followed. */
  #partsOf(schema: JsonObject): readonly JsonObject[] | null {
    const known = this.#parts.get(schema);
    if (known !== undefined) return known;
    const parts = new Set([schema]);
    let isWhole = true;
    for (const part of parts) {
      const next = this.#besides(part);
      if (next === null || parts.size > PARTS_MAX) {
        isWhole = false;
        break;
      }
      for (const one of next) parts.add(one);
    }
    const found = isWhole ? [...parts] : null;
    this.#parts.set(schema, found);
    return found;
  }

  #besides(schema: JsonObject): readonly JsonObject[] | null {
    if (OPAQUE.some((keyword) => keyword in schema)) return null;
    const { $ref: reference } = schema;
    const target = reference === undefined ? undefined : this.#follow(reference);
    if (target === null) return null;
    const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schema[keyword] ?? []).flat();
    const branches = [schema['if'], schema['then'], schema['else']];
    const dependent = schema['dependentSchemas'];
    const all = [
      ...lists,
      ...branches,
      ...(isJsonObject(dependent) ? Object.values(dependent) : []),
    ];
    return [...(target === undefined ? [] : [target]), ...all.filter((one) => isJsonObject(one))];
  }

  /** Null: it leads out of the schema, or nowhere. */
  #follow(reference: JsonValue): JsonObject | null {
    if (reference === '#') return this.#root;
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return null;
    let at: JsonValue | undefined = this.#root;
    for (const token of reference.slice(2).split('/')) {
      const key = unescapeToken(token);
      if (typeof at !== 'object' || at === null) return null;
      at = Object.hasOwn(at, key) ? (at as JsonObject)[key] : undefined;
    }
    return isJsonObject(at) ? at : null;
  }
}

const PARTS_MAX = 1_000;
const DECLARED_MAX = 500;
/** Keywords whose effect depends on more than the schema shows. */
const OPAQUE = ['$dynamicRef', '$recursiveRef', '$anchor', '$id', 'patternProperties'];
const OTHERS = ['additionalProperties', 'unevaluatedProperties'] as const;

function itemsOf(parts: readonly JsonObject[]): readonly JsonObject[] {
  return parts.flatMap((part) => {
    const { items = [], prefixItems = [] } = part;
    return [items, prefixItems].flat().filter((one) => isJsonObject(one));
  });
}

function namedMember(parts: readonly JsonObject[], key: string): Member {
  const named = parts.map((part) => part['properties']).filter((one) => isJsonObject(one));
  const declaring = named.filter((properties) => Object.hasOwn(properties, key));
  if (declaring.length > 0) {
    const schemas = declaring.map((properties) => properties[key]);
    return { is: 'known', schemas: schemas.filter((schema) => isJsonObject(schema)) };
  }
  const others = parts.flatMap((part) => OTHERS.map((keyword) => part[keyword]));
  const values = others.filter((other) => isJsonObject(other));
  if (values.length > 0) return { is: 'known', schemas: values };
  const declared = named.flatMap((properties) => Object.keys(properties)).slice(0, DECLARED_MAX);
  const isOpen = others.includes(true);
  if (named.length > 0 || others.includes(false)) return { is: 'unknown', declared, isOpen };
  return parts.some(isNoObject) ? { is: 'unknown', declared, isOpen } : ANYTHING;
}

function isNoObject({ type }: JsonObject): boolean {
  if (type === undefined) return false;
  return ![type].flat().includes('object');
}

function unescapeToken(token: string): string {
  const text = token.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
