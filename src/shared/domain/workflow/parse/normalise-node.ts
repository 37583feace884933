import type { JsonObject, JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { KindRegistry } from '../kind-registry.ts';
import type { InlineNode, WrittenKind } from './node-parts.ts';
import { NodeParts, isPresent } from './node-parts.ts';
import type { NodeKind } from '../plan/plan.ts';
import type { Findings, ProblemList } from '../problem.ts';
import { quoteId } from '../quote-id.ts';

/** A node as it is stored, and where the author wrote its parts. */
export interface NormalisedNode {
  readonly id: string;
  /** The stored form: `{id, kind: {type, …}, …}`. */
  readonly json: JsonObject;
  /** Its `kind`, which holds the kind's own fields. */
  readonly fields: JsonObject;
  /** Null: no such kind, which has been reported. */
  readonly kind: NodeKind<unknown> | null;
  /** Where the node stands in what the author sent. */
  readonly pointer: string;
  /** Where a field of the node or of its kind stands, or belongs when it is missing. */
  pointerOf(field: string): string;
}

const DEFAULT_KIND = 'pass';

export function normaliseNode(params: {
  readonly id: string;
  readonly raw: JsonValue;
  readonly pointer: string;
  readonly kinds: KindRegistry;
  readonly findings: Findings;
}): { readonly node: NormalisedNode; readonly inline: readonly InlineNode[] } {
  const { id, pointer, kinds } = params;
  const { problems } = params.findings;
  if (!isJsonObject(params.raw)) problems.add(pointer, 'a node must be an object');
  const raw = isJsonObject(params.raw) ? params.raw : {};
  const given = raw['id'] ?? id;
  if (given !== id) problems.add(`${pointer}/id`, `must equal the key of the node, "${id}"`);

  const written = readKind(raw, pointer, problems);
  const kind = written === null ? null : lookUpKind(written, kinds, problems);
  const parts = new NodeParts(raw, written, pointer);
  const own = Object.keys(kind?.fields ?? {});
  parts.moveIntoKind(own);
  parts.moveOutOfKind(own);
  if (kind?.shorthand !== undefined && kind.inlineNode !== undefined) {
    parts.spellOut(kind.shorthand, kind.inlineNode);
  }
  const inline = kind?.inlineNode === undefined ? null : parts.takeOut(kind.inlineNode, id);
  const undo = parts.takeOutUndo(id);
  const fields = parts.kindJson(kind?.type ?? written?.type ?? DEFAULT_KIND);
  return {
    node: {
      id,
      fields,
      kind,
      pointer,
      json: { ...parts.nodeJson(), id, kind: fields },
      pointerOf: (field) => parts.pointerOf(field),
    },
    inline: [inline, undo].filter((one) => one !== null),
  };
}

function readKind(raw: JsonObject, pointer: string, problems: ProblemList): WrittenKind | null {
  const key = isPresent(raw['kind']) ? 'kind' : isPresent(raw['type']) ? 'type' : null;
  const value = key === null ? DEFAULT_KIND : (raw[key] ?? null);
  const at = `${pointer}/${key ?? 'kind'}`;
  if (typeof value === 'string') return { type: value, key, fields: null, pointerOfType: at };
  if (!isJsonObject(value)) {
    problems.add(at, 'must be the type of the node, or an object with its type');
    return null;
  }
  const type = value['type'] ?? null;
  if (typeof type === 'string') {
    return { type, key, fields: value, pointerOfType: `${at}/type` };
  }
  problems.add(`${at}/type`, type === null ? 'missing the type of the node' : 'must be a string');
  return null;
}

function lookUpKind(
  written: WrittenKind,
  kinds: KindRegistry,
  problems: ProblemList,
): NodeKind<unknown> | null {
  const kind = kinds.lookUp(written.type);
  if (kind === null) {
    problems.add(written.pointerOfType, `unknown kind ${quoteId(written.type)}`);
  }
  return kind;
}
