import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { pointerTo } from '../problem.ts';
import type { FieldSchema } from '../schema/fields.ts';
import { VALUE_DEFINITIONS, type ValueName } from '../schema/value-definitions.ts';
import {
  kindFields,
  nodeFields,
  type Definitions,
  type DescribedKind,
} from '../schema/workflow-schema.ts';

/** The callbacks of a walk over a definition. Pointers refer to the author's text. */
export interface DefinitionVisitor {
  /** A name that nothing reads; `known` are those that are read in its place. */
  unknownField(found: {
    readonly pointer: string;
    readonly name: string;
    readonly known: readonly string[];
  }): void;
  /** A value that is more than its JSON type. `nodeId`: the node it belongs to; null: none. */
  value(found: {
    readonly pointer: string;
    readonly name: ValueName;
    readonly value: JsonValue;
    readonly nodeId: string | null;
  }): void;
}

/**
 * Walks over a definition as its author wrote it, along the schema that editors are given. `ir` has
 * been checked to be JSON of bounded depth; what has another shape than its schema is passed over.
 */
export function walkDefinition(params: {
  readonly ir: JsonObject;
  readonly definitions: Definitions;
  readonly kindOf: (type: string) => DescribedKind | null;
  readonly visitor: DefinitionVisitor;
}): void {
  new Walker(params).walk(params.ir, { $ref: '#/$defs/Workflow' }, { pointer: '', nodeId: null });
}

interface Place {
  readonly pointer: string;
  readonly nodeId: string | null;
}

class Walker {
  readonly #definitions: Definitions;
  readonly #kindOf: (type: string) => DescribedKind | null;
  readonly #visitor: DefinitionVisitor;

  constructor(params: {
    readonly definitions: Definitions;
    readonly kindOf: (type: string) => DescribedKind | null;
    readonly visitor: DefinitionVisitor;
  }) {
    this.#definitions = params.definitions;
    this.#kindOf = params.kindOf;
    this.#visitor = params.visitor;
  }

  walk(value: JsonValue, schema: FieldSchema, place: Place): void {
    const forms = this.#formsOf(schema);
    for (const { $ref } of forms) {
      const name = nameOf($ref);
      if (name === 'Node' && isJsonObject(value)) this.#walkNode(value, place);
      else if (isValueName(name)) this.#visitor.value({ ...place, name, value });
    }
    if (Array.isArray(value)) {
      const items = forms.find((form) => isJsonObject(form['items']))?.['items'];
      if (items !== undefined) this.#walkItems(value, items, place);
    } else if (isJsonObject(value)) this.#walkObject(value, forms, place);
  }

  #walkItems(list: readonly JsonValue[], items: JsonValue, place: Place): void {
    if (!isJsonObject(items)) return;
    for (const [index, item] of list.entries()) this.walk(item, items, below(place, index));
  }

  #walkObject(value: JsonObject, forms: readonly FieldSchema[], place: Place): void {
    const named = forms.map((form) => form['properties']).filter((part) => isJsonObject(part));
    if (named.length > 0) return this.#walkFields(value, Object.assign({}, ...named), place);
    const values = forms.find((form) => isJsonObject(form['additionalProperties']));
    const schema = values?.['additionalProperties'];
    if (!isJsonObject(schema)) return;
    for (const [name, item] of Object.entries(value)) {
      const inner = below(place, name);
      const isNode = nameOf(schema['$ref']) === 'Node';
      this.walk(item, schema, isNode ? { ...inner, nodeId: name } : inner);
    }
  }

  #walkFields(
    value: JsonObject,
    fields: Readonly<Record<string, FieldSchema>>,
    place: Place,
  ): void {
    for (const [name, item] of Object.entries(value)) {
      const inner = below(place, name);
      const schema = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (schema !== undefined) this.walk(item, schema, inner);
      else if (!(place.pointer === '' && name === '$schema')) {
        const known = Object.keys(fields);
        this.#visitor.unknownField({ pointer: inner.pointer, name, known });
      }
    }
  }

  /** A node may be written in three ways, and its kind decides what it may hold. */
  #walkNode(node: JsonObject, place: Place): void {
    const written = node['kind'] ?? node['type'] ?? DEFAULT_KIND;
    const type = isJsonObject(written) ? written['type'] : written;
    const kind = typeof type === 'string' ? this.#kindOf(type) : null;
    if (kind === null) return;
    const nodeId = this.#idOf(node, place);
    const { kind: inObject, type: _, ...rest } = node;
    this.#walkFields(rest, nodeFields(kind), { ...place, nodeId });
    if (!isJsonObject(inObject)) return;
    const { type: __, ...own } = inObject;
    this.#walkFields(own, kindFields(kind), { pointer: `${place.pointer}/kind`, nodeId });
  }

  /** A node written inside another has an id of its own, or one that is made of the other's. */
  #idOf(node: JsonObject, place: Place): string | null {
    if (place.nodeId === null || NODE_AT_TOP.test(place.pointer)) return place.nodeId;
    if (typeof node['id'] === 'string') return node['id'];
    return `${place.nodeId}.${place.pointer.endsWith('/undo') ? 'undo' : 'item'}`;
  }

  /** The forms that a value may have: references to values and nodes stay, all others are followed. */
  #formsOf(schema: FieldSchema): readonly FieldSchema[] {
    const name = nameOf(schema['$ref']);
    if (name === 'Node' || isValueName(name)) {
      const more = name === 'Condition' ? this.#definitions[name]?.['anyOf'] : undefined;
      return more === undefined ? [schema] : this.#formsOfAll(more);
    }
    if (name !== null) return this.#formsOf(this.#definitions[name] ?? {});
    return schema['anyOf'] === undefined ? [schema] : this.#formsOfAll(schema['anyOf']);
  }

  #formsOfAll(forms: JsonValue): readonly FieldSchema[] {
    if (!Array.isArray(forms)) return [];
    return forms.flatMap((form: JsonValue) => (isJsonObject(form) ? this.#formsOf(form) : []));
  }
}

const DEFAULT_KIND = 'pass';
const NODE_AT_TOP = /^\/nodes\/[^/]*$/;
const REFERENCE = '#/$defs/';

function below({ pointer, nodeId }: Place, token: string | number): Place {
  return { pointer: pointer + pointerTo(token), nodeId };
}

function nameOf(reference: JsonValue | undefined): string | null {
  const isName = typeof reference === 'string' && reference.startsWith(REFERENCE);
  return isName ? reference.slice(REFERENCE.length) : null;
}

function isValueName(name: string | null): name is ValueName {
  return name !== null && Object.hasOwn(VALUE_DEFINITIONS, name);
}
