import { isExpression, type Expression } from './expression.ts';
import type { JsonValue } from './json.ts';

/** A source of a `T` when the workflow runs: an expression, a plain value, or lists and objects of both. */
export type Mappable<T> = unknown extends T
  ? AnyMapping
  : Expression<T> | Literal<T> | PlainMapping<T>;

type PlainMapping<T> = T extends readonly (infer Item)[]
  ? readonly Mappable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Mappable<T[Key]> }
    : T;

/** A mapping of unknown type. */
export type AnyMapping =
  | Expression
  | Literal<unknown>
  | string
  | number
  | boolean
  | null
  | readonly AnyMapping[]
  | { readonly [key: string]: AnyMapping };

/** The type of the value that a mapping gives. */
export type Resolved<M> =
  M extends Expression<infer T>
    ? T
    : M extends Literal<infer T>
      ? T
      : M extends readonly (infer Item)[]
        ? readonly Resolved<Item>[]
        : M extends object
          ? { readonly [Key in keyof M]: Resolved<M[Key]> }
          : M;

/** A value that stays unchanged, even if it looks like a path or an expression. */
export interface Literal<T> {
  readonly '~kind': 'literal';
  readonly '~value': JsonValue;
  /** Absent at run time. */
  readonly '~type'?: T;
}

/** The value unchanged: as `{"literal": …}` in the definition. */
export function literal<const T extends JsonValue>(value: T): Literal<T> {
  return { '~kind': 'literal', '~value': value };
}

/** A mapping as the definition writes it. Nothing checks the type that you name. */
export function raw<T = unknown>(mapping: JsonValue): Expression<T> {
  return {
    '~kind': 'expression',
    get '~cel'(): string {
      throw new TypeError('raw() stands in mappings; use cel`…` in expressions');
    },
    '~mapping': mapping,
  };
}

/** In the definition. A text that a mapping would read as a path becomes a literal. */
export function writeMapping(value: unknown): JsonValue {
  if (isExpression(value)) return value['~mapping'];
  if (isLiteral(value)) return { literal: value['~value'] };
  if (typeof value === 'string') return LOOKS_LIKE_PATH.test(value) ? { literal: value } : value;
  if (Array.isArray(value)) return value.map((item) => writeMapping(item));
  if (typeof value === 'object' && value !== null) return writeMembers(value);
  return writeScalar(value);
}

export function writeOptionalMapping(value: unknown): JsonValue | undefined {
  return value === undefined ? undefined : writeMapping(value);
}

const LOOKS_LIKE_PATH = /^(\$|(state|input|output|execution)[.[])/;

function writeMembers(value: object): JsonValue {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const [only, ...others] = members;
  if (only === undefined || others.length > 0 || !/^(literal|expr)$/.test(only[0])) {
    return Object.fromEntries(members.map(([key, member]) => [key, writeMapping(member)]));
  }
  // An object of this one key would mean something else.
  return { literal: { [only[0]]: writePlain(only[1], only[0]) } };
}

/** A value that must stay unchanged, so it cannot hold an expression. */
function writePlain(value: unknown, key: string): JsonValue {
  if (isLiteral(value)) return value['~value'];
  if (isExpression(value)) {
    throw new TypeError(
      `an object with the only key ${key} cannot hold an expression: use cel\`…\``,
    );
  }
  if (Array.isArray(value)) return value.map((item) => writePlain(item, key));
  if (typeof value !== 'object' || value === null) return writeScalar(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, writePlain(member, key)]));
}

function writeScalar(value: unknown): JsonValue {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  throw new TypeError(`a mapping cannot hold ${typeof value === 'number' ? value : typeof value}`);
}

function isLiteral(value: unknown): value is Literal<unknown> {
  return (
    typeof value === 'object' && value !== null && '~kind' in value && value['~kind'] === 'literal'
  );
}
