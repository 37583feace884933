import type { JsonValue } from './json.ts';

/** An expression of CEL that gives a `T` when the workflow runs. */
export interface Expression<T = unknown> {
  readonly '~kind': 'expression';
  /** The text in CEL. */
  readonly '~cel': string;
  /** How a mapping says the same. */
  readonly '~mapping': JsonValue;
  /** Absent at run time. */
  readonly '~type'?: T;
}

/**
 * A value of the state, of an input or of an output, and everything below it: `state.order.id`. A member that
 * may be absent gives null, as absent paths do when the workflow runs.
 */
export type Ref<T> = Expression<T> & Members<T>;

type Members<T> = [NonNullable<T>] extends [never]
  ? unknown
  : [NonNullable<T>] extends [readonly (infer Item)[]]
    ? { readonly '~item'?: Item }
    : [NonNullable<T>] extends [object]
      ? { readonly [Key in KeyOf<NonNullable<T>>]: Ref<Read<Member<T, Key>>> }
      : unknown;

type KeyOf<T> = T extends object ? keyof T & (string | number) : never;
type Member<T, Key> = T extends object ? (Key extends keyof T ? T[Key] : undefined) : undefined;
/** The type that reading gives: null in place of undefined. */
export type Read<T> = undefined extends T ? Exclude<T, undefined> | null : T;

/** A number, text or other plain value, or an expression that gives one. */
export type Operand<T> = T | Expression<T>;

/** Whether a value is an expression or a reference. */
export function isExpression(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && '~kind' in value
    ? value['~kind'] === 'expression'
    : false;
}

export function createExpression<T>(cel: string): Expression<T> {
  return { '~kind': 'expression', '~cel': cel, '~mapping': { expr: cel } };
}

/** A reference to what a mapping calls `$`, `$input` or the like, and an expression calls `root`. */
export function createRef<T>(root: string, keys: readonly (string | number)[] = []): Ref<T> {
  const cel = root + keys.map(writeCelKey).join('');
  const own = { '~kind': 'expression', '~cel': cel, '~mapping': writeMapping(root, keys, cel) };
  const members: object = new Proxy(own, {
    get: (_, key) => readMember({ own, root, keys }, key),
    has: (_, key) => key in own,
  });
  // The proxy answers for members that the type names and no object holds.
  return members as Ref<T>;
}

/** The item of a list at a position, from 0: `at(state.items, 0)`. Null where there is none. */
export function at<Item>(list: Ref<readonly Item[]>, index: number): Ref<Item | null> {
  const item: unknown = Reflect.get(list, String(index));
  // References of lists answer for positions, which their type leaves to this function.
  return item as Ref<Item | null>;
}

interface Place {
  readonly own: Readonly<Record<string, JsonValue>>;
  readonly root: string;
  readonly keys: readonly (string | number)[];
}

function readMember({ own, root, keys }: Place, key: string | symbol): unknown {
  if (typeof key === 'symbol') return undefined;
  if (key.startsWith('~')) return own[key];
  if (key === 'toJSON') return () => own['~mapping'];
  return createRef(root, [...keys, /^\d+$/.test(key) ? Number(key) : key]);
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;
const RESERVED = new Set(['true', 'false', 'null', 'in']);
const PATH_CHARACTERS_MAX = 1024;

function writeCelKey(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return PLAIN_KEY.test(key) && !RESERVED.has(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** A path where its syntax allows, else the expression. */
function writeMapping(root: string, keys: readonly (string | number)[], cel: string): JsonValue {
  const path = keys.map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    return PLAIN_KEY.test(key) ? `.${key}` : null;
  });
  const text = `$${root === 'state' ? '' : root}${path.join('')}`;
  const isAmount = root === 'state' && keys.length === 1 && typeof keys[0] === 'number';
  const isPath = !path.includes(null) && !isAmount && text.length <= PATH_CHARACTERS_MAX;
  return isPath ? text : { expr: cel };
}

/**
 * An expression as text, with references and plain values in it: cel<boolean>`${state.total} * 2 > ${limit}`.
 * The text between them is CEL, unchanged. Nothing checks the type that you name.
 */
export function cel<T = unknown>(
  text: TemplateStringsArray,
  ...values: readonly (Expression | JsonValue)[]
): Expression<T> {
  // As it was typed: CEL reads backslashes itself.
  const parts = text.raw.map((part, index) => {
    const value = values[index];
    return value === undefined ? part : part + writeOperand(value);
  });
  return createExpression(parts.join(''));
}

/** As CEL writes it: a reference by its path, a plain value as a literal. */
export function writeOperand(value: unknown): string {
  if (isExpression(value)) {
    const text = value['~cel'];
    return /^[\w.[\]"]+$/.test(text) ? text : `(${text})`;
  }
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('an expression holds references and plain values');
  return text;
}
