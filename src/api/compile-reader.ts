import type { z } from 'zod';

/** A reader does not accept the value: the schema says why, or accepts it after all. */
export const REFUSED = Symbol('refused');

/** Returns the value that the schema makes of one that it accepts, else `REFUSED`. */
export type Reader = (value: unknown) => unknown;

type Check = z.core.$ZodCheck<unknown>;

/**
 * Turns a schema into functions that only tell whether it accepts a value, and into what: no lists of
 * issues, no copies on the way. Only the common kinds of schemas are compiled; the others are asked.
 */
export function compileReader(schema: z.core.$ZodType): Reader {
  const read = compileKind(schema);
  const checks = checksOf(schema).map(compileCheck);
  if (checks.length === 0) return read;
  return (value) => {
    let result = read(value);
    for (const check of checks) {
      if (result === REFUSED) return REFUSED;
      result = check(result);
    }
    return result;
  };
}

function compileKind(schema: z.core.$ZodType): Reader {
  // The union of all kinds, by which `type` tells them apart.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return compileObject(def);
    case 'array':
      return compileArray(compileReader(def.element));
    case 'string':
      return isPlain(def) ? only((value) => typeof value === 'string') : ask(schema);
    case 'number':
      return isPlain(def) ? only(Number.isFinite) : ask(schema);
    case 'boolean':
      return isPlain(def) ? only((value) => typeof value === 'boolean') : ask(schema);
    case 'unknown':
    case 'custom':
      return (value) => value;
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'literal':
      return oneOf(def.values);
    case 'nullable':
      return unless(null, compileReader(def.innerType));
    case 'optional':
      return isOptional(def.innerType)
        ? ask(schema)
        : unless(undefined, compileReader(def.innerType));
    case 'transform':
      return compileTransform(def);
    case 'pipe':
      return 'reverseTransform' in def
        ? ask(schema)
        : chain(compileReader(def.in), compileReader(def.out));
    default:
      return ask(schema);
  }
}

/** No value is turned into another kind before it is judged. */
function isPlain(def: { readonly coerce?: boolean | undefined }): boolean {
  return def.coerce !== true;
}

function isOptional(schema: z.core.$ZodType): boolean {
  return schema._zod.optin === 'optional';
}

function ask(schema: z.core.$ZodType): Reader {
  return (value) => {
    const result = schema._zod.run({ value, issues: [] }, { async: false });
    return result instanceof Promise || result.issues.length > 0 ? REFUSED : result.value;
  };
}

function only(accepts: (value: unknown) => boolean): Reader {
  return (value) => (accepts(value) ? value : REFUSED);
}

function oneOf(values: readonly unknown[]): Reader {
  const known = new Set(values);
  return only((value) => known.has(value));
}

function unless(passed: null | undefined, read: Reader): Reader {
  return (value) => (value === passed ? passed : read(value));
}

function chain(first: Reader, second: Reader): Reader {
  return (value) => {
    const result = first(value);
    return result === REFUSED ? REFUSED : second(result);
  };
}

function compileArray(read: Reader): Reader {
  return (value) => {
    if (!Array.isArray(value)) return REFUSED;
    const all: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const result = read(item);
      if (result === REFUSED) return REFUSED;
      all.push(result);
    }
    return all;
  };
}

interface Member {
  readonly name: string;
  readonly read: Reader;
  readonly mayBeAbsent: boolean;
  /** Nothing is made of its absence. */
  readonly staysAbsent: boolean;
}

/** Members that the schema does not name are left out, kept or refused, as its `catchall` says. */
function compileObject(def: z.core.$ZodObjectDef): Reader {
  const members = Object.entries(def.shape).map(([name, schema]) => ({
    name,
    read: compileReader(schema),
    mayBeAbsent: isOptional(schema),
    staysAbsent: isOptional(schema) && schema._zod.optout === 'optional',
  }));
  const named = new Set(members.map(({ name }) => name));
  const others = def.catchall === undefined ? null : compileReader(def.catchall);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return REFUSED;
    const given = value as Readonly<Record<string, unknown>>;
    const result: Record<string, unknown> = {};
    for (const member of members) {
      if (!readMember(given, member, result)) return REFUSED;
    }
    if (others === null) return result;
    for (const name of Object.keys(given)) {
      if (named.has(name)) continue;
      const other = name === '__proto__' ? REFUSED : others(given[name]);
      if (other === REFUSED) return REFUSED;
      result[name] = other;
    }
    return result;
  };
}

/** False: refused. */
function readMember(
  given: Readonly<Record<string, unknown>>,
  { name, read, mayBeAbsent, staysAbsent }: Member,
  into: Record<string, unknown>,
): boolean {
  const isGiven = name in given;
  if (!isGiven && (staysAbsent || !mayBeAbsent)) return staysAbsent;
  const result = read(given[name]);
  if (result === REFUSED) return false;
  if (isGiven || result !== undefined) into[name] = result;
  return true;
}

function compileTransform({ transform }: z.core.$ZodTransformDef): Reader {
  return (value) => {
    const payload = createPayload(value);
    const result = transform(value, payload);
    return result instanceof Promise || payload.issues.length > 0 ? REFUSED : result;
  };
}

/** `addIssue`: what refinements and transforms report by. */
function createPayload(value: unknown) {
  const issues: z.core.$ZodRawIssue[] = [];
  return { value, issues, addIssue: (issue: z.core.$ZodRawIssue) => void issues.push(issue) };
}

/** Some kinds are a check as well. Each check gets a value that its schema accepts. */
function checksOf(schema: z.core.$ZodType): readonly Check[] {
  const { checks = [] } = schema._zod.def;
  const all = schema._zod.traits.has('$ZodCheck') ? [schema, ...checks] : checks;
  return all as unknown as readonly Check[];
}

function compileCheck(check: Check): Reader {
  // The union of all kinds, by which `check` tells them apart.
  const { def } = (check as z.core.$ZodChecks)._zod;
  switch (def.check) {
    case 'min_length':
      return only((value) => lengthOf(value) >= def.minimum);
    case 'max_length':
      return only((value) => lengthOf(value) <= def.maximum);
    default:
      return askCheck(check);
  }
}

/** Not a number, and so never within a bound, of a value without a length. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : NaN;
}

function askCheck(check: Check): Reader {
  return (value) => {
    const payload = createPayload(value);
    if (check._zod.def.when?.(payload) === false) return value;
    const result = check._zod.check(payload);
    return result instanceof Promise || payload.issues.length > 0 ? REFUSED : payload.value;
  };
}
