import type { JsonObject, JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { ProblemList } from '../problem.ts';

/** An edge as it is stored, and where the author wrote its parts. */
export interface NormalisedEdge {
  readonly json: JsonObject;
  readonly from: string;
  readonly to: string;
  readonly on: 'success' | 'failure';
  /** Null: unconditional. */
  readonly condition: string | null;
  readonly pointer: string;
  readonly pointerOfFrom: string;
  readonly pointerOfTo: string;
}

/** Null: reported. */
export function normaliseEdge(
  raw: JsonValue,
  pointer: string,
  problems: ProblemList,
): NormalisedEdge | null {
  if (!isJsonObject(raw)) {
    problems.add(pointer, 'an edge must be an object');
    return null;
  }
  const from = readEnd(raw, { name: 'from', alias: 'source', pointer }, problems);
  const to = readEnd(raw, { name: 'to', alias: 'target', pointer }, problems);
  const on = readOn(raw, `${pointer}/on`, problems);
  const condition = readCondition(raw, `${pointer}/condition`, problems);
  if (from === null || to === null || on === null || condition === undefined) return null;
  const used = [from.name, to.name, 'on', 'condition'];
  return {
    json: {
      ...Object.fromEntries(Object.entries(raw).filter(([key]) => !used.includes(key))),
      from: from.id,
      to: to.id,
      ...(on === 'failure' ? { on } : {}),
      ...(condition === null ? {} : { condition }),
    },
    from: from.id,
    to: to.id,
    on,
    condition,
    pointer,
    pointerOfFrom: `${pointer}/${from.name}`,
    pointerOfTo: `${pointer}/${to.name}`,
  };
}

function readEnd(
  raw: JsonObject,
  of: { readonly name: string; readonly alias: string; readonly pointer: string },
  problems: ProblemList,
): { readonly name: string; readonly id: string } | null {
  const { name, alias, pointer } = of;
  const used = (raw[name] ?? null) === null && (raw[alias] ?? null) !== null ? alias : name;
  const id = raw[used] ?? null;
  if (typeof id === 'string') return { name: used, id };
  problems.add(
    `${pointer}/${used}`,
    id === null ? `missing ${name}: the id of a node` : 'must be the id of a node',
  );
  return null;
}

function readOn(
  raw: JsonObject,
  pointer: string,
  problems: ProblemList,
): NormalisedEdge['on'] | null {
  const value = raw['on'] ?? 'success';
  if (value === 'success' || value === 'failure') return value;
  problems.add(pointer, 'must be success or failure');
  return null;
}

/** `undefined`: reported. */
function readCondition(
  raw: JsonObject,
  pointer: string,
  problems: ProblemList,
): string | null | undefined {
  const value = raw['condition'] ?? null;
  if (value === null || value === true) return null;
  if (value === false) return 'false';
  if (typeof value !== 'string') {
    problems.add(pointer, 'must be an expression');
    return undefined;
  }
  const source = value.trim();
  return source === '' || source === 'true' ? null : value;
}
