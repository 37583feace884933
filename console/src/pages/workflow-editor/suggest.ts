import {
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
} from 'yaml';

import { memberOf } from './member-of.ts';
import { schemasAt, type Schema } from './schemas-at.ts';

export interface Suggestion {
  readonly label: string;
  /** The text to insert. */
  readonly apply: string;
  readonly info: string | null;
  readonly isKey: boolean;
}

export interface Suggestions {
  /** Where the word begins that they replace. */
  readonly from: number;
  readonly list: readonly Suggestion[];
}

/** No author writes it, so it marks the place in the text that is asked about. */
const MARK = '\u{e000}';
const WORD_END = /[\w$.-]*$/;
const WORD_START = /^[\w$.-]*/;

/** The keys and values that the schema allows at a place of a YAML or JSON text. */
export function suggest(text: string, offset: number, schema: Schema): Suggestions | null {
  const typed = WORD_END.exec(text.slice(0, offset))?.[0] ?? '';
  const from = offset - typed.length;
  const rest = text.slice(offset).replace(WORD_START, '');
  const probe = parseDocument(`${text.slice(0, from)}${MARK}${rest}`, {
    strict: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const place = findMark(probe);
  if (place === null) return null;
  const value = readValue(probe);
  const isQuoted = text[from - 1] === '"';
  const isJson = /^\s*[{[]/.test(text);
  const quote = (word: string) => (isJson && !isQuoted ? JSON.stringify(word) : word);
  const colon = /^"?\s*:/.test(rest) || isQuoted ? '' : ': ';
  const schemas = schemasAt(schema, place.path, value);
  const taken = keysAt(value, place.path);
  const keys = place.mayBeKey
    ? schemas.flatMap(({ properties = {} }) => Object.entries(properties))
    : [];
  const list = [
    ...keys
      .filter(([key]) => !taken.has(key))
      .map(([key, { description = null }]) => ({
        label: key,
        apply: `${quote(key)}${colon}`,
        info: description,
        isKey: true,
      })),
    ...(place.mayBeValue ? valuesOf(schemas, nodeIdsOf(value)) : []).map((word) => ({
      label: word,
      apply: quote(word),
      info: null,
      isKey: false,
    })),
  ];
  const unique = new Map(list.map((one) => [one.label, one]));
  return { from, list: [...unique.values()] };
}

interface MarkedPlace {
  /** The path of the object whose keys, or of the value that is asked about. */
  readonly path: readonly string[];
  readonly mayBeKey: boolean;
  readonly mayBeValue: boolean;
}

function findMark(probe: Document): MarkedPlace | null {
  let found: MarkedPlace | null = null;
  visit(probe, {
    Scalar(key, node, ancestors) {
      if (node.value !== MARK) return undefined;
      const path = pathOf(ancestors, node);
      // In YAML, a lone word below a key may become the first key of an object.
      found =
        key === 'key'
          ? { path: path.slice(0, -1), mayBeKey: true, mayBeValue: false }
          : { path, mayBeKey: node.type === 'PLAIN', mayBeValue: true };
      return visit.BREAK;
    },
  });
  return found;
}

function pathOf(ancestors: readonly (Document | Node | Pair)[], leaf: Node): readonly string[] {
  const path: string[] = [];
  ancestors.forEach((ancestor, at) => {
    if (isPair(ancestor)) path.push(isScalar(ancestor.key) ? String(ancestor.key.value) : '');
    if (isSeq(ancestor)) {
      const child: unknown = ancestors[at + 1] ?? leaf;
      path.push(String(ancestor.items.indexOf(child)));
    }
  });
  return path;
}

function readValue(probe: Document): unknown {
  try {
    return probe.toJS();
  } catch {
    return null;
  }
}

function keysAt(value: unknown, path: readonly string[]): ReadonlySet<string> {
  let at = value;
  for (const key of path) at = memberOf(at, key);
  return new Set(typeof at === 'object' && at !== null ? Object.keys(at) : []);
}

function nodeIdsOf(value: unknown): readonly string[] {
  const nodes = memberOf(value, 'nodes');
  return typeof nodes === 'object' && nodes !== null ? Object.keys(nodes) : [];
}

function valuesOf(schemas: readonly Schema[], nodeIds: readonly string[]): readonly string[] {
  return schemas.flatMap((schema) => [
    ...(schema.enum ?? []).filter((one) => typeof one === 'string'),
    ...(typeof schema.const === 'string' ? [schema.const] : []),
    ...(schema.type === 'boolean' ? ['true', 'false'] : []),
    ...(schema.isNodeId === true ? nodeIds : []),
  ]);
}
