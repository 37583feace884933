import { anyOf, type FieldSchemas } from './fields.ts';

/**
 * Values that are more than their JSON type: what reads them works out paths, expressions or times.
 * Checks of definitions know them by these names.
 */
export const VALUE_DEFINITIONS = {
  Expression: {
    description:
      'A CEL expression over `state`, `output` (of the node just done), `input` and `execution`. ' +
      'As a condition every value is true but null, false, 0, "", [] and {}.',
    type: 'string',
    maxLength: 4096,
  },
  Condition: {
    description: 'A CEL expression; true or "" is no condition.',
    anyOf: [{ $ref: '#/$defs/Expression' }, { type: 'boolean' }],
  },
  Mapping: {
    description:
      'The source of a value: a path such as "$.order.id", {"expr": "…"}, {"literal": …}, or lists ' +
      'and objects of these. Anything else stands for itself.',
  },
  Computed: {
    description:
      'Text is a CEL expression, or a path when it starts with $; the rest is a mapping.',
  },
  TextOrPath: { description: 'Text, or a path such as "$.order.id".', type: 'string' },
  Prompt: {
    description: 'Text with {{ expression }} in it, a path that starts with $, or another mapping.',
  },
  PromptText: { description: 'Text with {{ expression }} in it.', type: 'string', minLength: 1 },
  HttpUrl: {
    description:
      'The URL. {order.id} is a path below the input, {state.region} one of the state, ' +
      '{{ expression }} an expression, ${secret:NAME} a secret.',
    type: 'string',
  },
  HttpHeader: {
    description: 'Text with {{ expression }} and ${secret:NAME} in it, or a path.',
    type: ['string', 'number', 'boolean'],
  },
  HttpBody: {
    description:
      'An object is sent as JSON: its strings may be paths or templates. Text is sent as text.',
  },
  NodeId: { description: 'The id of a node.', type: 'string' },
  Target: { description: 'The id of a node, or "end", which ends the path.', type: 'string' },
  JsonSchema: { description: 'A JSON Schema.', type: 'object' },
  SchemaOrReference: anyOf('A JSON Schema. Text is kept as a reference and not checked.', [
    { $ref: '#/$defs/JsonSchema' },
    { type: 'string' },
  ]),
  Duration: {
    description: 'Seconds as a number, or text such as "500ms", "2s", "5m", "1h", "7d".',
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)\s*$` },
    ],
  },
  Globs: {
    description: 'Names in which * stands for any characters and ? for one.',
    type: ['array', 'null'],
    items: { type: 'string', minLength: 1 },
  },
} as const satisfies FieldSchemas;

export type ValueName = keyof typeof VALUE_DEFINITIONS;
