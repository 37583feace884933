import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { KindRegistry } from './kind-registry.ts';
import type { NodeKind } from './plan.ts';
import type { Findings, ProblemList } from './problem.ts';
import { pointerTo } from './problem.ts';

/** A node as it is stored, and where the author wrote its parts. */
export interface NormalisedNode {
  readonly id: string;
  /** What is stored: `{id, kind: {type, …}, …}`. */
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

/** A node written inside another, to become a node of its own. */
export interface InlineNode {
  readonly id: string;
  readonly raw: JsonValue;
  readonly pointer: string;
}

/** Fields every kind of node has. They may also stand in `kind`, unless the kind has its own by that name. */
const COMMON = [
  'retry_policy',
  'node_timeout_secs',
  'input_mapping',
  'output_key',
  'fallback_node',
] as const;
const DEFAULT_KIND = 'pass';

export function normaliseNode(params: {
  readonly id: string;
  readonly raw: JsonValue;
  readonly pointer: string;
  readonly kinds: KindRegistry;
  readonly findings: Findings;
}): { readonly node: NormalisedNode; readonly inline: InlineNode | null } {
  const { id, pointer, kinds } = params;
  const { problems, warnings } = params.findings;
  if (!isJsonObject(params.raw)) problems.add(pointer, 'a node must be an object');
  const raw = isJsonObject(params.raw) ? params.raw : {};
  const given = raw['id'] ?? id;
  if (given !== id) problems.add(`${pointer}/id`, `must equal the key of the node, "${id}"`);
  for (const key of ['policy', 'data_policy']) {
    const value = raw[key] ?? null;
    if (value !== null) warnings.add(`${pointer}/${key}`, 'kept, but not enforced yet');
  }

  const written = readKind(raw, pointer, problems);
  const kind = written === null ? null : lookUpKind(written, kinds, problems);
  const parts = new NodeParts(raw, written, pointer);
  parts.moveIntoKind(kind?.fields ?? []);
  parts.moveOutOfKind(kind?.fields ?? []);
  const inline = kind?.inlineNode === undefined ? null : parts.takeOut(kind.inlineNode, id);
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
    inline,
  };
}

/** How a kind was written: `key` is where its type stands, `fields` what stands in the same object. */
interface WrittenKind {
  readonly type: string;
  readonly key: 'kind' | 'type' | null;
  readonly fields: JsonObject | null;
  readonly pointerOfType: string;
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
  const result = kinds.lookUp(written.type);
  if (result.found === 'kind') return result.kind;
  const shown = JSON.stringify(written.type.slice(0, 100).toWellFormed());
  problems.add(
    written.pointerOfType,
    result.found === 'later' ? `kind ${shown} is not supported yet` : `unknown kind ${shown}`,
  );
  return null;
}

/** The node's own fields and its kind's, while they are sorted into their places. */
class NodeParts {
  readonly #node: Map<string, JsonValue>;
  readonly #kind: Map<string, JsonValue>;
  readonly #pointer: string;
  readonly #kindPointer: string;
  /** Where the fields stand that are not where they belong. */
  readonly #moved = new Map<string, string>();

  constructor(raw: JsonObject, written: WrittenKind | null, pointer: string) {
    this.#node = new Map(Object.entries(raw));
    this.#node.delete('kind');
    if (written?.key === 'type' || !isPresent(raw['type'])) this.#node.delete('type');
    this.#kind = new Map(Object.entries(written?.fields ?? {}));
    this.#pointer = pointer;
    this.#kindPointer = isPresent(written?.fields) ? `${pointer}/${written?.key}` : pointer;
  }

  /** A kind's fields that stand beside it go into it, unless it has them already. */
  moveIntoKind(own: readonly string[]): void {
    for (const field of own) {
      if (!isPresent(this.#kind.get(field))) this.#kind.delete(field);
      if (!isPresent(this.#node.get(field)) || this.#kind.has(field)) continue;
      this.#kind.set(field, this.#node.get(field) ?? null);
      this.#node.delete(field);
      this.#moved.set(field, this.#pointer + pointerTo(field));
    }
  }

  moveOutOfKind(own: readonly string[]): void {
    for (const field of COMMON) {
      if (own.includes(field)) continue;
      if (!isPresent(this.#node.get(field))) this.#node.delete(field);
      if (isPresent(this.#node.get(field)) || !isPresent(this.#kind.get(field))) {
        this.#moved.set(field, this.#pointer + pointerTo(field));
        continue;
      }
      this.#node.set(field, this.#kind.get(field) ?? null);
      this.#kind.delete(field);
      this.#moved.set(field, this.#kindPointer + pointerTo(field));
    }
    if (!own.includes('timeout_secs')) this.#renameTimeout();
  }

  /** `timeout_secs` says the same as `node_timeout_secs`, except where a kind has it for itself. */
  #renameTimeout(): void {
    if (this.#node.has('node_timeout_secs')) return;
    for (const [part, pointer] of [
      [this.#node, this.#pointer],
      [this.#kind, this.#kindPointer],
    ] as const) {
      const value = part.get('timeout_secs');
      if (!isPresent(value)) continue;
      part.delete('timeout_secs');
      this.#node.set('node_timeout_secs', value ?? null);
      this.#moved.set('node_timeout_secs', `${pointer}/timeout_secs`);
      return;
    }
  }

  takeOut(field: string, id: string): InlineNode | null {
    const raw = this.#kind.get(field);
    if (!isJsonObject(raw)) return null;
    const own = raw['id'];
    const inlineId = typeof own === 'string' ? own : `${id}.item`;
    this.#kind.set(field, inlineId);
    return { id: inlineId, raw, pointer: this.pointerOf(field) };
  }

  pointerOf(field: string): string {
    return this.#moved.get(field) ?? this.#kindPointer + pointerTo(field);
  }

  kindJson(type: string): JsonObject {
    return Object.fromEntries([...this.#kind, ['type', type]]);
  }

  nodeJson(): JsonObject {
    return Object.fromEntries(this.#node);
  }
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined;
}
