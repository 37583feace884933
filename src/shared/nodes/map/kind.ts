import type { Mapping } from '../../domain/expression/mapping.ts';
import { evaluateMapping } from '../../domain/expression/mapping.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { NodeReference, ParseContext } from '../../domain/workflow/plan/plan.ts';
import { anyOf, ref, text, wholeNumber, word } from '../../domain/workflow/schema/fields.ts';
import { failExpression, failValue } from '../fail-entry.ts';
import { readComputed, readName, readText, readWord } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface MapSpec {
  readonly items: Mapping;
  readonly body: NodeReference;
  readonly itemKey: string;
  readonly maxConcurrency: number;
  readonly onItemFailure: 'fail' | 'collect';
}

const ITEMS_MAX = 10_000;
const DEFAULT_ITEM_KEY = 'item';
const DEFAULT_MAX_CONCURRENCY = 100;

/**
 * Runs one node for each item of a list; its output is the list of their outputs. With
 * `workflow_ref` that node is a `subgraph`, so that each item is a child execution.
 */
export const mapKind: RunnableKind<MapSpec> = {
  type: 'map',
  aliases: [],
  fields: {
    items: ref('Computed', 'The list: an expression, a path that starts with $, or a list.'),
    node: anyOf('The node that runs for each item: its id, or the node itself.', [
      { $ref: '#/$defs/NodeId' },
      { $ref: '#/$defs/Node' },
    ]),
    workflow_ref: text('Instead of `node`: a workflow that runs for each item.'),
    workflow_version: text('Version of `workflow_ref`. Default: the one registered last.'),
    output_mapping: ref('Mapping', 'For `workflow_ref`: `output` is the last state of the child.'),
    item_key: text('The item is `input.<item_key>`. Default `item`.'),
    max_concurrency: wholeNumber('The most items that run at a time. Default 100.', {
      minimum: 1,
      maximum: ITEMS_MAX,
    }),
    on_item_failure: word('How to treat a failed item. Default `fail`.', ['fail', 'collect']),
  },
  inlineNode: 'node',
  shorthand: {
    field: 'workflow_ref',
    type: 'subgraph',
    fields: ['workflow_version', 'output_mapping', 'input_mapping', 'retry_policy'],
  },
  leaf: false,
  toolLike: false,

  parse(fields, at) {
    if ((fields['workflow_ref'] ?? null) !== null) {
      at.problem('/workflow_ref', 'node or workflow_ref, not both');
      return null;
    }
    if ((fields['items'] ?? null) === null) at.problem('/items', 'missing items');
    const items = readComputed(fields, 'items', at);
    const body = readName(fields, 'node', at);
    const itemKey = readText(fields, 'item_key', at) ?? DEFAULT_ITEM_KEY;
    const onItemFailure =
      readWord(fields, { name: 'on_item_failure', words: ['fail', 'collect'] }, at) ?? 'fail';
    const maxConcurrency = readConcurrency(fields, at);
    checkItemKey(itemKey, at);
    if (items === null || body === null) return null;
    return {
      items,
      body: { to: body, pointer: '/node' },
      itemKey,
      maxConcurrency,
      onItemFailure,
    };
  },

  body: ({ body }) => body,
  itemKey: ({ itemKey }) => itemKey,

  enter({ items, body, itemKey, maxConcurrency, onItemFailure }, { scope }) {
    const result = evaluateMapping(items, scope);
    if (!result.ok) return failExpression(result.message);
    const list = result.value;
    if (!Array.isArray(list)) return failValue('items of a map must be a list');
    if (list.length > ITEMS_MAX) {
      return failValue(`a map of ${list.length} items, and ${ITEMS_MAX} are the most`);
    }
    return { do: 'map', items: list, body: body.to, itemKey, maxConcurrency, onItemFailure };
  },
};

function readConcurrency(fields: JsonObject, at: ParseContext): number {
  const value = fields['max_concurrency'] ?? DEFAULT_MAX_CONCURRENCY;
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (isWhole && value >= 1 && value <= ITEMS_MAX) return value;
  at.problem('/max_concurrency', `must be a whole number from 1 to ${ITEMS_MAX}`);
  return DEFAULT_MAX_CONCURRENCY;
}

/** The item goes under this key into the input, where such a key would reach a prototype. */
function checkItemKey(key: string, at: ParseContext): void {
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
    at.problem('/item_key', `the name ${key} is not allowed`);
  }
}
