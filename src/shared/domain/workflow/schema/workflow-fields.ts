import { LABELS_MAX } from '../../execution/labels/labels.ts';
import { BUDGET_ACTIONS } from '../../budget/budget.ts';
import {
  anyOf,
  anything,
  list,
  number,
  object,
  record,
  ref,
  text,
  wholeNumber,
  word,
  type FieldSchemas,
} from './fields.ts';
import { UNDO_ON } from '../plan/plan.ts';
import { duration, retryPolicy } from './part-fields.ts';

/** Fields that a definition has beside its nodes and edges. */
export const WORKFLOW_FIELDS: FieldSchemas = {
  workflow_id: {
    description: 'The id of the workflow.',
    type: 'string',
    minLength: 1,
    maxLength: 512,
  },
  version: {
    description: 'Any label. Default "1.0.0".',
    type: ['string', 'null'],
    minLength: 1,
    maxLength: 512,
  },
  name: text('Name for people.'),
  description: text('Its purpose.'),
  labels: anything('Kept for your own readers and programs.'),
  execution_labels: {
    ...record(
      'Labels of its executions: text, or a path or an expression over the input. Null gives no label.',
      { $ref: '#/$defs/Mapping' },
    ),
    maxProperties: LABELS_MAX,
  },
  start_node: ref(
    'NodeId',
    'Where it begins. Default: `start`, or the only node nothing leads to.',
  ),
  state_schema: ref(
    'SchemaOrReference',
    'The input must satisfy it. Paths of the state are checked against it.',
  ),
  nodes: record('The nodes by their ids. "end" is no node.', { $ref: '#/$defs/Node' }),
  edges: list('The control edges.', { $ref: '#/$defs/Edge' }),
  retry_policies: record('Retry policies by name.', { $ref: '#/$defs/RetryPolicy' }),
  timeouts: ref('Timeouts', 'Time limits.'),
  models: record('Language models by name.', { $ref: '#/$defs/Model' }),
  prompts: record('Texts by name.', { $ref: '#/$defs/NamedPrompt' }),
  tools: record('Tools by name.', { $ref: '#/$defs/Tool' }),
  mcp_servers: record('MCP servers by name.', { $ref: '#/$defs/McpServer' }),
  remote_agents: record('A2A agents by name.', { $ref: '#/$defs/RemoteAgent' }),
  policy: ref('Policy', 'The tools and models that may be used.'),
  policies: record('Rules by name, for policy nodes.', { $ref: '#/$defs/PolicyRules' }),
  data_policy: ref('DataPolicy', 'Values to hide or omit.'),
  token_budget: anyOf('Most tokens of an execution: input and output together, or apart.', [
    { type: 'integer', minimum: 1 },
    object('Limits.', {
      input_tokens: wholeNumber('Most tokens of input.', { minimum: 1 }),
      output_tokens: wholeNumber('Most tokens of output.', { minimum: 1 }),
      total_tokens: wholeNumber('Most tokens of both together.', { minimum: 1 }),
    }),
  ]),
  cost_budget_usd: number('Most US dollars of an execution.', { above: 0 }),
  on_budget_exceeded: word('The consequence. Default `fail`.', BUDGET_ACTIONS),
  continue_as_new: ref('ContinueAsNew', 'When a run ends for another to continue.'),
  concurrency: ref('Concurrency', 'How many of its executions run at a time.'),
  rate: ref('StartRate', 'How many of its executions begin in a time.'),
  debounce: ref('Debounce', 'The last of several starts that come soon after each other begins.'),
  batch: ref('Batch', 'One execution begins for several starts, with all of their inputs.'),
  fairness: ref('Fairness', 'Whose items take turns when workers claim from a queue.'),
  start_after: duration('How long an execution waits before it begins. A start may say otherwise.'),
  start_deadline: duration(
    'An execution that has not begun by then fails. A start may say otherwise.',
  ),
  expose: ref('Expose', 'Protocols that can reach it besides the API.'),
};

/** Fields that every node has beside its kind. */
export const NODE_FIELDS: FieldSchemas = {
  id: text('Must equal the key of the node.'),
  description: anything('Purpose of the node.'),
  labels: anything('Kept for your own readers and programs.'),
  input_mapping: ref('Mapping', 'The input of the node. Default: the whole state.'),
  output_key: text('The state key that the output is put under.'),
  retry_policy: retryPolicy('How often the node is tried. Default: 3 attempts.'),
  node_timeout_secs: duration('Longest time of one attempt.'),
  fallback_node: ref('Target', 'Where to continue when the node fails permanently.'),
  undo: anyOf('The node that undoes this one if the execution ends: its id, or the node itself.', [
    { $ref: '#/$defs/NodeId' },
    { $ref: '#/$defs/Node' },
  ]),
  undo_on: list('The ends at which it is undone. Default: both.', { enum: [...UNDO_ON] }),
  policy: ref('Policy', 'The tools and models that this node may use.'),
  data_policy: ref('DataPolicy', 'Values to hide or omit in events of this node.'),
};
