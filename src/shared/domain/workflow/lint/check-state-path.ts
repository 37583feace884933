import type { ExpressionVariable } from '../../expression/expression.ts';
import type { JsonObject } from '../../json.ts';
import { nearestName } from '../../nearest-name.ts';
import type { Plan } from '../plan/plan.ts';
import type { ReadPath } from './paths-in-expression.ts';
import { SchemaMembers } from './schema-members.ts';
import { stateKeys } from './state-keys.ts';

/** Says what is wrong with a path that is read; null: nothing, as far as can be known. */
export type PathChecker = (path: ReadPath, place: PathPlace) => string | null;

export interface PathPlace {
  /** Where the path is read; null: in no node. */
  readonly nodeId: string | null;
  /** Whether `input` is the execution's here, and not what something else makes it. */
  readonly seesInput: boolean;
}

/**
 * Holds paths against the `state_schema`. The input must satisfy it and is the first state; nodes
 * write further keys. Where the state may hold what nobody can foresee, only what looks like a slip
 * of a known name is reported.
 */
export function createPathChecker(plan: Plan): PathChecker {
  const { stateSchema } = plan;
  if (stateSchema === null) return () => null;
  const members = new SchemaMembers(stateSchema);
  const { written, isOpen } = stateKeys(plan);
  const itemKeys = readItemKeys(plan);
  return (path, { nodeId, seesInput }) => {
    const { variable } = path;
    const isChecked = variable === 'state' || (variable === 'input' && seesInput);
    if (!isChecked) return null;
    const itemKey = variable === 'input' && nodeId !== null ? itemKeys.get(nodeId) : undefined;
    const known = new Set([...written, ...(itemKey === undefined ? [] : [itemKey])]);
    return check(path, { members, schema: stateSchema, written: known, isOpen });
  };
}

function check(
  { variable, keys, isAskedFor }: ReadPath,
  against: {
    readonly members: SchemaMembers;
    readonly schema: JsonObject;
    readonly written: ReadonlySet<string>;
    readonly isOpen: boolean;
  },
): string | null {
  const [first] = keys;
  if (typeof first === 'string' && against.written.has(first)) return null;
  let schemas: readonly JsonObject[] = [against.schema];
  for (const [index, key] of keys.entries()) {
    if (schemas.length === 0) return null;
    const member = against.members.memberOf(schemas, key);
    if (member.is === 'known') {
      schemas = member.schemas;
      continue;
    }
    const name = String(key);
    const nearest = nearestName(name, [
      ...member.declared,
      ...(index === 0 ? against.written : []),
    ]);
    if (nearest === null && (isAskedFor || against.isOpen || member.isOpen)) return null;
    return describe({ variable, keys: keys.slice(0, index), name, nearest });
  }
  return null;
}

function describe(of: {
  readonly variable: ExpressionVariable;
  readonly keys: ReadPath['keys'];
  readonly name: string;
  readonly nearest: string | null;
}): string {
  const path = showPath(of.variable, [...of.keys, of.name]);
  const missing = `${path} is not in the state_schema`;
  if (of.nearest === null) return `${missing}, and no node writes it`;
  return `${missing}: did you mean ${showPath(of.variable, [...of.keys, of.nearest])}?`;
}

const SHOWN_MAX = 100;

function showPath(variable: string, keys: ReadPath['keys']): string {
  const text = keys.map((key) => (typeof key === 'string' ? `.${key}` : `[${key ?? ''}]`)).join('');
  return `${variable}${text}`.slice(0, SHOWN_MAX).toWellFormed();
}

/** Under which key the bodies of maps find their item in the input. */
function readItemKeys(plan: Plan): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const { id, bodyOf } of plan.nodes.values()) {
    const map = bodyOf === null ? undefined : plan.nodes.get(bodyOf);
    const key = map?.kind.itemKey?.(map.spec);
    if (key !== undefined) keys.set(id, key);
  }
  return keys;
}
