import { DETECTORS, PII_ACTIONS } from '../../data-policy/data-policy.ts';
import { BATCH_MAX, BATCH_MIN, CONCURRENCY_MAX, WHEN_FULL } from '../flow/concurrency.ts';
import { quotaFields } from '../flow/call-quota.ts';
import { WEIGHT_MAX, WEIGHT_MIN } from '../flow/fairness.ts';
import { RATE_LIMIT_MAX } from '../flow/rate.ts';
import {
  anyOf,
  anything,
  flag,
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
import { duration, kept, modelFields, retryPolicy } from './part-fields.ts';

/** The parts of a definition that are no nodes. `schema-fields.test.ts` holds them against the parsers. */
export const PART_DEFINITIONS: FieldSchemas = {
  Edge: object(
    'A way from one node to another. `source` and `target` say the same as `from` and `to`.',
    {
      from: ref('NodeId', 'The node that it leaves.'),
      source: ref('NodeId', 'The same as `from`.'),
      to: ref('Target', 'The node that it leads to.'),
      target: ref('Target', 'The same as `to`.'),
      condition: ref('Condition', 'When the edge is taken. Without one: when no other edge is.'),
      on: word('Whether the edge is for the success or the failure of the node.', [
        'success',
        'failure',
      ]),
      ...kept(),
    },
  ),
  RetryPolicy: object('How often a node is tried, and when.', {
    max_attempts: wholeNumber('All attempts, the first included. Default 3.', {
      minimum: 1,
      maximum: 1000,
    }),
    backoff: word('How the delays grow. Default `exponential`.', [
      'fixed',
      'linear',
      'exponential',
    ]),
    initial_delay: duration('Before the second attempt. Default 1 s.'),
    initial_delay_secs: duration('The same as `initial_delay`.'),
    max_delay: duration('Longest delay. Default 60 s.'),
    max_delay_secs: duration('The same as `max_delay`.'),
    jitter: flag('Whether delays are spread. Default true.'),
    retryable_on: list('Only these error classes are tried again.', { type: 'string' }),
    non_retryable_on: list('These error classes are never tried again.', { type: 'string' }),
    ...kept(),
  }),
  Timeouts: object('Time limits of the workflow.', {
    ...timeout('node_timeout', 'Longest time of one attempt of a node. Default 300 s.'),
    ...timeout('workflow_timeout', 'Longest time of an execution.'),
    ...timeout('heartbeat_interval', 'How often workers say that they live, at most 10 s.'),
    ...timeout('approval_timeout', 'Longest wait for the decision of a person.'),
    ...timeout('schedule_to_start', 'Longest wait of work for a worker.'),
  }),
  ContinueAsNew: object('When a run ends for another to continue with its state.', {
    after_events: wholeNumber('From this number of events.', { minimum: 100 }),
    when: ref('Expression', 'When this holds.'),
  }),
  Debounce: object(
    'A start waits whether another of its key comes, which then displaces it.',
    {
      key: ref(
        'Expression',
        'Starts with the same value displace each other. Default: all of the workflow.',
      ),
      wait: ref('Duration', 'How long a start waits for another.'),
      max_wait: ref(
        'Duration',
        'From the first start that was displaced: one begins then in any case. Default: no limit.',
      ),
    },
    ['wait'],
  ),
  Batch: object(
    'Starts of a key gather. One execution then begins with the input `{"items": […]}`: their inputs in order.',
    {
      key: ref(
        'Expression',
        'Starts with the same value gather in one batch. Default: all of the workflow.',
      ),
      max: wholeNumber('The batch closes with so many starts.', {
        minimum: BATCH_MIN,
        maximum: BATCH_MAX,
      }),
      wait: ref('Duration', 'The batch closes this long after its first start.'),
    },
    ['max', 'wait'],
  ),
  StartRate: object(
    'How many executions begin in a time. The others wait in the order of their starts.',
    {
      key: ref(
        'Expression',
        'Executions with the same value share the rate. Default: all of the workflow.',
      ),
      limit: wholeNumber('Executions in each `per`.', { minimum: 1, maximum: RATE_LIMIT_MAX }),
      per: ref('Duration', 'From one second to one day.'),
      burst: wholeNumber('The most that begin at once, after a rest. Default: `limit`.', {
        minimum: 1,
        maximum: RATE_LIMIT_MAX,
      }),
    },
    ['limit', 'per'],
  ),
  Concurrency: object(
    'How many executions run at a time.',
    {
      key: ref(
        'Expression',
        'Executions with the same value share the limit. Default: all of the workflow.',
      ),
      limit: wholeNumber('Most executions of a key at a time.', {
        minimum: 1,
        maximum: CONCURRENCY_MAX,
      }),
      when_full: word(
        'The effect on a start when the limit is reached. Default `queue`.',
        WHEN_FULL,
      ),
    },
    ['limit'],
  ),
  Fairness: object(
    'Keys take turns when workers claim from a queue, so no key waits for all items of another.',
    {
      key: ref('Expression', 'Items of executions with the same value share the turns of the key.'),
      weight: anyOf('How many items a key gets while another of weight 1 gets one. Default 1.', [
        number('The same for each key.', { minimum: WEIGHT_MIN, maximum: WEIGHT_MAX }),
        { $ref: '#/$defs/Expression' },
      ]),
    },
    ['key'],
  ),
  Expose: object('Protocols that can reach the workflow besides the API.', {
    a2a: flag('Whether it is an agent of the Agent2Agent protocol.'),
    result: text(
      'Path of the result in the final state, such as $.reply. Default: the whole state.',
    ),
    input_modes: list('Media types of the files that the agent takes.', { type: 'string' }),
    output_modes: list('Media types of the results that the agent gives.', { type: 'string' }),
  }),
  Model: object(
    'A language model.',
    {
      provider: text('openai, anthropic, google, ollama, or one that the operator configures.'),
      model: text('The name of the model at its provider.'),
      base_url: text('Address of the model, instead of that of the provider.'),
      temperature: number('How free the answer is.', { minimum: 0, maximum: 2 }),
      max_tokens: wholeNumber('Most tokens of an answer.', { minimum: 1, maximum: 10_000_000 }),
      timeout_secs: duration('Longest time of a call. Default 300 s.'),
      retry_policy: retryPolicy('For nodes that have no retry policy of their own.'),
      ...quotaFields('this model'),
      ...kept(),
    },
    ['provider', 'model'],
  ),
  NamedPrompt: anyOf('Text, or {text}.', [
    { $ref: '#/$defs/PromptText' },
    object('Text with more to say about it.', {
      text: ref('PromptText', 'The text.'),
      ...kept(),
    }),
  ]),
  Tool: object('A tool that tool nodes and models can call.', {
    kind: word('Kind of the reference.', ['http', 'python', 'mcp']),
    type: word('The same as `kind`.', ['http', 'python', 'mcp']),
    reference: ref('HttpUrl', 'A URL, `module:function` for python, `server/tool` for mcp.'),
    url: ref('HttpUrl', 'The same as `reference`.'),
    description: text('Description for models.'),
    input_schema: ref('JsonSchema', 'Checked before the call; not for python.'),
    output_schema: ref('JsonSchema', 'Checked after the call.'),
    method: {
      description: 'For `http`. Default GET, with a body POST.',
      type: ['string', 'null'],
      pattern:
        '^([Gg][Ee][Tt]|[Hh][Ee][Aa][Dd]|[Pp][Oo][Ss][Tt]|[Pp][Uu][Tt]|[Pp][Aa][Tt][Cc][Hh]|[Dd][Ee][Ll][Ee][Tt][Ee])$',
      examples: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    },
    headers: record('For `http`: texts by the name of the header.', { $ref: '#/$defs/HttpHeader' }),
    body: ref('HttpBody', 'For `http`. Default: the input as JSON where the method has a body.'),
    response_mapping: ref(
      'Mapping',
      'For `http`: how to transform the answer. It sees `output` as {status, headers, body}.',
    ),
    output_mapping: ref('Mapping', 'The same as `response_mapping`.'),
    timeout_secs: duration('Longest time of a call over HTTP. Default 30 s, at most an hour.'),
    response_bytes_max: wholeNumber('Largest answer. Default 1 MiB.', {
      minimum: 1,
      maximum: 4 * 1024 * 1024,
    }),
    ...quotaFields(),
    permissions: anything('Kept, and without effect.'),
    labels: anything('For your own readers and programs.'),
  }),
  McpServer: object('A server of the Model Context Protocol.', {
    transport: word('Default `streamable_http`.', ['streamable_http', 'http_sse', 'stdio']),
    url: text('The address of the server.'),
    command: text('For `stdio`: a program that the operator allows.'),
    args: list('Arguments of the command.', { type: 'string' }),
    auth: ref('Auth', 'How to log in.'),
    ...kept(),
  }),
  RemoteAgent: object(
    'An agent of the Agent2Agent protocol.',
    {
      url: text('The address of the agent.'),
      agent_card_path: text('Where its card is. Default `/.well-known/agent-card.json`.'),
      auth: ref('Auth', 'How to log in.'),
      ...kept(),
    },
    ['url'],
  ),
  Auth: object(
    'How to log in: names of secrets, never secrets.',
    {
      type: word('`none` is the same as leaving `auth` out.', [
        'none',
        'bearer',
        'api_key',
        'oauth2',
      ]),
      token_env: text('For `bearer`: the variable that holds the token.'),
      header: text('For `api_key`: the header that carries the key.'),
      key_env: text('For `api_key`: the variable that holds the key.'),
      client_id_env: text('For `oauth2`: the variable that holds the id of the client.'),
      client_secret_env: text('For `oauth2`: the variable that holds the secret.'),
      token_url: text('For `oauth2`: where tokens are given.'),
    },
    ['type'],
  ),
  Policy: object('The tools and models that may be used. A node counts before its workflow.', {
    blocked_tools: ref('Globs', 'These tools are never called.'),
    require_approval_for: ref('Globs', 'A person must approve calls of these tools.'),
    model_allowlist: ref('Globs', 'Only these models are called.'),
  }),
  PolicyRule: object(
    'A condition that must hold at a policy node.',
    {
      name: text('Shown in the event of a violation.'),
      condition: ref('Expression', 'An expression that must be true.'),
      message: text('The message of a violation.'),
    },
    ['condition'],
  ),
  PolicyRules: object(
    'Rules that policy nodes name.',
    { rules: list('All of them must hold.', { $ref: '#/$defs/PolicyRule' }), ...kept() },
    ['rules'],
  ),
  DataPolicy: object('Values that the API hides or omits in answers and records.', {
    pii_fields: list('Names or paths of fields, such as "customer.email".', { type: 'string' }),
    detectors: list('Kinds of values to detect in text.', { enum: [...DETECTORS] }),
    pii_detectors: list('The same as `detectors`.', { enum: [...DETECTORS] }),
    action: word('How to treat a match.', PII_ACTIONS),
    redaction_mode: word('The same as `action`.', PII_ACTIONS),
    retain_prompts: flag('Whether prompts may be recorded.'),
    retain_outputs: flag('Whether outputs may be recorded.'),
  }),
  Check: anyOf('An expression over `output` and `state`, or one with a name and a weight.', [
    { $ref: '#/$defs/Expression' },
    object('A check with a name.', {
      check: ref('Expression', 'An expression that must be true.'),
      name: text('Its name in results.'),
      weight: number('Its share of the score. Default 1.', { minimum: 0, maximum: 1_000_000 }),
    }),
  ]),
  Scorer: object(
    'A scorer that gives an output a score from 0 to 1.',
    {
      type: word('The kind of the scorer.', ['assertion', 'latency', 'cost', 'llm_judge']),
      name: text('Its name in results.'),
      weight: number('Its share of the score. Default 1.', { minimum: 0, maximum: 1_000_000 }),
      threshold: number('The score that passes.', { minimum: 0, maximum: 1 }),
      checks: list('For `assertion`: what must hold.', { $ref: '#/$defs/Check' }),
      check: ref('Check', 'For `assertion`: one check.'),
      max_ms: number('For `latency`: milliseconds.', { minimum: 1 }),
      max_secs: duration('For `latency`, instead of `max_ms`.'),
      max_usd: number('For `cost`: US dollars.', { minimum: 0 }),
      max_tokens: number(
        'For `cost`: tokens. For a judge in place: the most tokens of its answer.',
        {
          minimum: 0,
        },
      ),
      rubric: text('For `llm_judge`: what makes an output good.'),
      prompt: text('The same as `rubric`.'),
      ...modelFields(),
      base_url: text('For a model in place.'),
      temperature: number('For a model in place.', { minimum: 0, maximum: 2 }),
      timeout_secs: duration('For a model in place.'),
      retry_policy: retryPolicy('For a model in place.'),
    },
    ['type'],
  ),
};

function timeout(name: string, description: string): FieldSchemas {
  return {
    [name]: duration(description),
    [`${name}_secs`]: duration(`The same as \`${name}\`.`),
  };
}
