import { memberOf } from './member-of.ts';

/** The parts of JSON Schema that the schema of definitions uses. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  /** Added while resolving: the value names a node. */
  readonly isNodeId?: boolean;
}

const DEPTH_MAX = 40;
const NODE_ID_REFS: readonly string[] = ['#/$defs/NodeId', '#/$defs/Target'];

/** Every schema that applies to the value at a path, with references and conditions resolved. */
export function schemasAt(
  root: Schema,
  path: readonly string[],
  value: unknown,
): readonly Schema[] {
  let schemas = expand(root, root, value, 0);
  let at = value;
  for (const key of path) {
    at = memberOf(at, key);
    schemas = schemas.flatMap((schema) => {
      const next = schema.properties?.[key] ?? itemOf(schema) ?? extraOf(schema);
      return next === null ? [] : expand(root, next, at, 0);
    });
  }
  return schemas;
}

function itemOf({ items }: Schema): Schema | null {
  return items ?? null;
}

function extraOf({ additionalProperties: extra }: Schema): Schema | null {
  return typeof extra === 'object' ? extra : null;
}

/** A schema and those that it is put together from, as far as they apply to the value. */
function expand(root: Schema, schema: Schema, value: unknown, depth: number): readonly Schema[] {
  if (depth > DEPTH_MAX) return [];
  const inner = (one: Schema) => expand(root, one, value, depth + 1);
  const { $ref } = schema;
  const target = $ref === undefined ? undefined : resolve(root, $ref);
  const ways = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const branch =
    schema.if === undefined
      ? undefined
      : matches(root, schema.if, value, 0)
        ? schema.then
        : schema.else;
  return [
    schema,
    ...($ref !== undefined && NODE_ID_REFS.includes($ref) ? [{ isNodeId: true }] : []),
    ...(target === undefined ? [] : inner(target)),
    ...ways.flatMap(inner),
    ...(schema.allOf ?? []).flatMap(inner),
    ...(branch === undefined ? [] : inner(branch)),
  ];
}

function resolve(root: Schema, ref: string): Schema | undefined {
  return ref === '#' ? root : root.$defs?.[ref.replace('#/$defs/', '')];
}

/** Whether a value satisfies a condition of the schema; keywords that no condition uses are ignored. */
function matches(root: Schema, schema: Schema, value: unknown, depth: number): boolean {
  if (depth > DEPTH_MAX) return false;
  const inner = (one: Schema) => matches(root, one, value, depth + 1);
  const { $ref, type, required = [], properties = {} } = schema;
  if ($ref !== undefined && !inner(resolve(root, $ref) ?? {})) return false;
  if (type !== undefined && ![type].flat().includes(typeOf(value))) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (schema.const !== undefined && schema.const !== value) return false;
  if (schema.not !== undefined && inner(schema.not)) return false;
  if (schema.anyOf !== undefined && !schema.anyOf.some(inner)) return false;
  if (schema.oneOf !== undefined && !schema.oneOf.some(inner)) return false;
  if (schema.allOf !== undefined && !schema.allOf.every(inner)) return false;
  if (typeOf(value) !== 'object') return true;
  return (
    required.every((key) => memberOf(value, key) !== undefined) &&
    Object.entries(properties).every(([key, one]) => {
      const member = memberOf(value, key);
      return member === undefined || matches(root, one, member, depth + 1);
    })
  );
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
