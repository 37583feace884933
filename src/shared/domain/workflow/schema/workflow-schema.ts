import type { JsonObject, JsonValue } from '../../json.ts';
import type { NodeKind } from '../plan/plan.ts';
import { object, type FieldSchema, type FieldSchemas } from './fields.ts';
import { PART_DEFINITIONS } from './part-definitions.ts';
import { VALUE_DEFINITIONS } from './value-definitions.ts';
import { NODE_FIELDS, WORKFLOW_FIELDS } from './workflow-fields.ts';

/** As much of a kind as its schema needs. */
export type DescribedKind = Pick<NodeKind<unknown>, 'type' | 'aliases' | 'fields'>;

export type Definitions = Readonly<Record<string, FieldSchema>>;

/** The schemas that workflows are made of, by their names. */
export function workflowDefinitions(kinds: readonly DescribedKind[]): Definitions {
  return {
    Workflow: object('A workflow definition.', WORKFLOW_FIELDS, ['workflow_id']),
    Node: nodeSchema(kinds),
    ...Object.fromEntries(kinds.flatMap(kindSchemas)),
    ...PART_DEFINITIONS,
    ...VALUE_DEFINITIONS,
  };
}

/** The JSON Schema of workflow definitions, for editors. It knows no names but those that are read. */
export function workflowSchema(kinds: readonly DescribedKind[]): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'svc workflow',
    description: 'A workflow definition (IR) of svc.',
    // Editors complete the keys of what stands here; few of them follow a reference at the top.
    ...workflowDefinitions(kinds)['Workflow'],
    properties: { $schema: { type: 'string' }, ...WORKFLOW_FIELDS },
    $defs: workflowDefinitions(kinds),
  };
}

/** `python_fn` is described by `PythonFnNode`. */
export function nodeSchemaName({ type }: DescribedKind): string {
  return `${pascal(type)}Node`;
}

/** The fields of an object `kind`. */
export function kindFields({ fields = {} }: DescribedKind): FieldSchemas {
  return { ...commonFields(fields), ...fields };
}

/** The fields of a node: its own, and those of its kind. */
export function nodeFields(kind: DescribedKind): FieldSchemas {
  return { ...NODE_FIELDS, ...kindFields(kind) };
}

/** Fields that may be beside a kind or in it. */
const MOVABLE = [
  'description',
  'labels',
  'input_mapping',
  'output_key',
  'retry_policy',
  'node_timeout_secs',
  'fallback_node',
  'undo',
  'undo_on',
];

function commonFields(own: FieldSchemas): FieldSchemas {
  const common = Object.entries(NODE_FIELDS).filter(([name]) => MOVABLE.includes(name));
  if ('timeout_secs' in own) return Object.fromEntries(common);
  const timeout = NODE_FIELDS['node_timeout_secs'] ?? {};
  return { ...Object.fromEntries(common), timeout_secs: timeout };
}

function kindSchemas(kind: DescribedKind): readonly (readonly [string, FieldSchema])[] {
  const names = namesOf(kind);
  const inObject = `${pascal(kind.type)}Kind`;
  return [
    [
      nodeSchemaName(kind),
      object(`A node of kind ${kind.type}.`, {
        kind: {
          description: 'The kind, or an object with its type and fields.',
          anyOf: [{ enum: names }, { $ref: `#/$defs/${inObject}` }, { type: 'null' }],
        },
        type: { description: 'In place of `kind`.', enum: [...names, null] },
        ...nodeFields(kind),
      }),
    ],
    [
      inObject,
      object(
        `The kind ${kind.type} with its fields.`,
        { type: { description: 'The kind.', enum: names }, ...kindFields(kind) },
        ['type'],
      ),
    ],
  ];
}

/** The kind decides which schema a node must satisfy. A node without one is a `pass`. */
function nodeSchema(kinds: readonly DescribedKind[]): FieldSchema {
  const all = kinds.flatMap(namesOf);
  return {
    description: 'A step of the workflow.',
    type: 'object',
    properties: {
      kind: {
        description: 'The kind, or an object with its type and fields. Default `pass`.',
        anyOf: [
          { enum: [...all, null] },
          {
            type: 'object',
            properties: { type: { description: 'The kind.', enum: all } },
            required: ['type'],
          },
        ],
      },
      type: { description: 'In place of `kind`.', enum: [...all, null] },
    },
    allOf: kinds.map((kind) => ({
      if: isOfKind(kind),
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; nothing awaits it
      then: { $ref: `#/$defs/${nodeSchemaName(kind)}` },
    })),
  };
}

function isOfKind(kind: DescribedKind): JsonObject {
  const names = { enum: namesOf(kind) };
  const absent = (name: string): JsonValue => ({ properties: { [name]: { type: 'null' } } });
  const byType = {
    allOf: [absent('kind'), { required: ['type'], properties: { type: names } }],
  };
  const byKind = {
    required: ['kind'],
    properties: {
      kind: {
        anyOf: [names, { type: 'object', required: ['type'], properties: { type: names } }],
      },
    },
  };
  const byDefault = { allOf: [absent('kind'), absent('type')] };
  return { anyOf: [byKind, byType, ...(kind.type === DEFAULT_KIND ? [byDefault] : [])] };
}

const DEFAULT_KIND = 'pass';

function namesOf({ type, aliases }: DescribedKind): readonly string[] {
  return [type, ...aliases];
}

function pascal(type: string): string {
  return type
    .split('_')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
