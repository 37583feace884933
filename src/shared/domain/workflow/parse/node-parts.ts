import type { JsonObject, JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { NodeKind } from '../plan/plan.ts';
import { pointerTo } from '../problem.ts';

/** Fields every kind of node has. They may also stand in `kind`, unless the kind has its own by that name. */
const COMMON = [
  'retry_policy',
  'node_timeout_secs',
  'input_mapping',
  'output_key',
  'fallback_node',
  'undo',
  'undo_on',
] as const;

/** The node's own fields and its kind's, while they are sorted into their places. */
export class NodeParts {
  readonly #node: Map<string, JsonValue>;
  readonly #kind: Map<string, JsonValue>;
  readonly #pointer: string;
  readonly #kindPointer: string;
  /** Where the fields stand that are not where they belong. */
  readonly #moved = new Map<string, string>();
  #spelledOut = false;

  constructor(raw: JsonObject, written: WrittenKind | null, pointer: string) {
    this.#node = new Map(Object.entries(raw));
    this.#node.delete('kind');
    if (written?.key === 'type' || !isPresent(raw['type'])) this.#node.delete('type');
    this.#kind = new Map(Object.entries(written?.fields ?? {}));
    this.#pointer = pointer;
    this.#kindPointer = isPresent(written?.fields) ? `${pointer}/${written?.key}` : pointer;
  }

  /** Fields of a kind beside `kind` move into it, unless it has them already. */
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

  /** Puts the node that a shorthand stands for where it would be written inside this one. */
  spellOut(
    { field, type, fields }: NonNullable<NodeKind<unknown>['shorthand']>,
    inlineNode: string,
  ): void {
    if (!isPresent(this.#kind.get(field)) || isPresent(this.#kind.get(inlineNode))) return;
    const written = new Map<string, JsonValue>();
    const beside = new Map<string, JsonValue>();
    for (const name of [field, ...fields]) {
      const isOwn = this.#kind.has(name);
      const [from, to] = isOwn ? [this.#kind, written] : [this.#node, beside];
      const value = from.get(name);
      from.delete(name);
      if (isPresent(value)) to.set(name, value ?? null);
    }
    const isNested = this.#kindPointer !== this.#pointer;
    const kind = { type, ...Object.fromEntries(written) };
    const rest = Object.fromEntries(beside);
    this.#kind.set(inlineNode, isNested ? { ...rest, kind } : { ...rest, ...kind });
    this.#spelledOut = true;
  }

  takeOut(field: string, id: string): InlineNode | null {
    const raw = this.#kind.get(field);
    if (!isJsonObject(raw)) return null;
    const own = raw['id'];
    const inlineId = typeof own === 'string' ? own : `${id}.item`;
    this.#kind.set(field, inlineId);
    // The author wrote its parts into this node.
    const pointer = this.#spelledOut ? this.#pointer : this.pointerOf(field);
    return { id: inlineId, raw, pointer };
  }

  /** The node that undoes this one, if it is written here. */
  takeOutUndo(id: string): InlineNode | null {
    const raw = this.#node.get('undo');
    if (!isJsonObject(raw)) return null;
    const own = raw['id'];
    const inlineId = typeof own === 'string' ? own : `${id}.undo`;
    this.#node.set('undo', inlineId);
    return { id: inlineId, raw, pointer: this.pointerOf('undo') };
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

/** How a kind was written: `key` is where its type stands, `fields` what stands in the same object. */
export interface WrittenKind {
  readonly type: string;
  readonly key: 'kind' | 'type' | null;
  readonly fields: JsonObject | null;
  readonly pointerOfType: string;
}

/** A node written inside another, to become a node of its own. */
export interface InlineNode {
  readonly id: string;
  readonly raw: JsonValue;
  readonly pointer: string;
}

export function isPresent(value: JsonValue | undefined): boolean {
  return value !== null && value !== undefined;
}
