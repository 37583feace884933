import {
  cel,
  gt,
  httpTool,
  jsonSchema,
  literal,
  mcpTool,
  prompt,
  pythonTool,
  typeOnly,
  workflow,
} from 'svc-sdk/workflow';
import { z } from 'zod';

/* Together, these programs use every kind of step and every option. */

const policy = { blockedTools: ['x.*'], requireApprovalFor: ['y.*'], modelAllowlist: ['*'] };
const dataPolicy = {
  piiFields: ['ssn', 'customer.email'],
  detectors: ['email', 'iban'],
  action: 'hash',
  retainPrompts: true,
  retainOutputs: false,
} as const;
const retryPolicy = {
  maxAttempts: 4,
  backoff: 'linear',
  initialDelay: '1s',
  maxDelay: 9,
  jitter: false,
  retryableOn: ['timeout'],
  nonRetryableOn: ['not_found'],
  description: 'Of pages.',
  labels: { team: 'web' },
} as const;

export const child = workflow('child', {
  state: z.object({ name: z.string() }),
  batch: { key: cel`input.name`, max: 5, wait: '1s' },
})
  .step('greet', ({ state, pass }) =>
    pass({ output: { greeting: cel<string>`"Hello, " + ${state.name}` } }),
  )
  .build();

export const parts = workflow('parts', {
  version: '2.1',
  name: 'Parts',
  description: 'Members beside the steps.',
  labels: { team: 'web' },
  executionLabels: { customer: '$.customer', big: { expr: 'state.n > 10' } },
  state: z.object({ text: z.string(), n: z.number(), names: z.array(z.string()) }),
  retryPolicies: { patient: retryPolicy },
  timeouts: {
    nodeTimeout: '2m',
    workflowTimeout: '1h',
    approvalTimeout: '1d',
    scheduleToStart: 30,
    heartbeatInterval: 5,
  },
  models: {
    fast: {
      provider: 'openai',
      model: 'gpt-5-mini',
      baseUrl: 'https://models.example/v1',
      temperature: 0.5,
      maxTokens: 500,
      timeout: 60,
      retryPolicy: 'patient',
      concurrency: { limit: 9 },
      rate: { limit: 500, per: '1m' },
      description: 'Small.',
      labels: ['cheap'],
    },
  },
  prompts: {
    short: 'Be short: {{ state.text }}',
    long: { text: 'Explain {{ state.text }}', description: 'Long.', labels: ['a'] },
  },
  tools: {
    http: httpTool({
      url: 'https://shop.example/products/{product}',
      method: 'POST',
      headers: { authorization: 'Bearer ${secret:SVC_SECRET_SHOP}' },
      body: { product: '$input.product' },
      inputSchema: z.object({ product: z.string() }),
      outputSchema: z.object({ amount: z.number() }),
      responseMapping: { amount: 1 },
      timeout: 20,
      responseBytesMax: 1000,
      concurrency: { key: 'input.product', limit: 2 },
      rate: { limit: 100, per: '1m' },
      description: 'A price.',
      permissions: ['net'],
      labels: ['a'],
    }),
    mcp: mcpTool({ server: 'search', tool: 'find', timeout: '5s' }),
    python: pythonTool({ module: 'locks', function: 'release' }),
  },
  mcpServers: {
    search: {
      transport: 'streamable_http',
      url: 'https://search.example/mcp',
      auth: { type: 'bearer', tokenEnv: 'SVC_SECRET_SEARCH' },
      description: 'Search.',
      labels: ['a'],
    },
    local: { transport: 'stdio', command: 'mcp-files', args: ['--read'] },
  },
  remoteAgents: {
    translator: {
      url: 'https://translator.example',
      agentCardPath: '/card.json',
      auth: { type: 'api_key', header: 'x-key', keyEnv: 'SVC_SECRET_T' },
      description: 'Translates.',
      labels: ['a'],
    },
    other: {
      url: 'https://other.example',
      auth: {
        type: 'oauth2',
        clientIdEnv: 'SVC_SECRET_ID',
        clientSecretEnv: 'SVC_SECRET_S',
        tokenUrl: 'https://other.example/token',
      },
    },
  },
  policy,
  policies: {
    spending: {
      rules: [{ name: 'limit', condition: cel`state.n <= 1000`, message: 'too much' }],
      description: 'Of money.',
      labels: ['a'],
    },
  },
  dataPolicy,
  tokenBudget: { inputTokens: 1000, outputTokens: 1000, totalTokens: 1500 },
  costBudgetUsd: 2.5,
  onBudgetExceeded: 'pause',
  concurrency: { key: cel`input.customer`, limit: 5, whenFull: 'queue' },
  rate: { key: cel`input.customer`, limit: 10, per: '1m', burst: 2 },
  debounce: { key: cel`input.customer`, wait: '1s', maxWait: '1m' },
  fairness: { key: cel`input.customer`, weight: 2 },
  startAfter: '1s',
  startDeadline: '1h',
  continueAsNew: { afterEvents: 500, when: cel`state.n > 10` },
  expose: { a2a: true, result: '$.text', inputModes: ['text/plain'], outputModes: ['text/plain'] },
})
  .step('begin', ({ state, pass }) => pass({ output: { begun: true, text: state.text } }))
  .next('python', ({ state, pythonFn }) =>
    pythonFn({
      module: 'numbers',
      function: 'square',
      input: { value: state.n, limit: literal(3) },
      outputSchema: z.object({ value: z.number() }),
      queue: 'gpu',
      concurrency: { key: 'string(input.value)', limit: 2 },
      rate: { key: 'string(input.value)', limit: 10, per: '1m', burst: 2 },
      outputKey: 'squared',
      retryPolicy: 'patient',
      nodeTimeout: 60,
      fallbackNode: 'give_up',
      undo: pythonFn({ module: 'numbers', function: 'forget', retryPolicy: 'patient' }),
      undoOn: ['cancelled'],
      policy,
      dataPolicy,
      description: 'Squares.',
      labels: ['a'],
    }),
  )
  .next('java', ({ javaFn, state }) =>
    javaFn({
      className: 'com.example.Numbers',
      method: 'square',
      outputSchema: z.number(),
      queue: 'jvm',
      concurrency: { limit: 4 },
      rate: { limit: 4, per: '1s' },
      outputKey: 'again',
      input: { value: state.squared.value },
      retryPolicy,
    }),
  )
  .next('durable', ({ state, function: run }) =>
    run(
      { name: 'square' },
      {
        input: { value: state.n },
        outputSchema: z.object({ value: z.number() }),
        queue: 'fast',
        countSuspended: false,
        pinned: true,
        concurrency: { key: 'input.value', limit: 2 },
        rate: { limit: 10, per: '1m' },
        outputKey: 'durable',
      },
    ),
  )
  .next('call', ({ state, tool }) =>
    tool('http', {
      input: { product: state.text },
      outputSchema: z.object({ amount: z.number() }),
      outputKey: 'price',
    }),
  )
  .next('find', ({ mcpTool: callMcp }) =>
    callMcp({
      server: 'search',
      tool: 'echo',
      outputSchema: jsonSchema<{ hits: string[] }>({ type: 'object' }),
      concurrency: { limit: 3 },
      rate: { limit: 30, per: '1m' },
      outputKey: 'found',
    }),
  )
  .next('ask', ({ state, model }) =>
    model({
      model: 'fast',
      concurrency: { key: 'input.customer', limit: 2 },
      rate: { limit: 50, per: '1m' },
      systemPrompt: 'You sort messages.',
      prompt: prompt`Which team? ${state.text}`,
      messages: [{ role: 'user', content: state.text }],
      tools: [
        'http',
        { name: 'look_up', description: 'Looks up.', inputSchema: z.object({ q: z.string() }) },
      ],
      outputSchema: z.object({ team: z.enum(['billing', 'support']) }),
      temperature: 1,
      maxTokens: 100,
      stream: true,
      outputKey: 'sorted',
    }),
  )
  .next('ask_again', ({ model }) => model({ model: 'openai/gpt-5-mini', promptRef: 'short' }))
  .step('judge', ({ state, eval: judge }) =>
    judge({
      scorers: [
        {
          type: 'assertion',
          name: 'long enough',
          checks: [cel`size(output) >= 15`, { name: 'n', check: gt(state.n, 0), weight: 2 }],
          weight: 1,
          threshold: 0.5,
        },
        { type: 'latency', maxMs: 60_000 },
        { type: 'latency', maxTime: '1m' },
        { type: 'cost', maxUsd: 1, maxTokens: 1000 },
        { type: 'llm_judge', rubric: 'Is it kind?', model: 'fast' },
      ],
      inputExpr: state.text,
      onFail: { retry: { target: 'ask_again' } },
      maxRetries: 5,
      outputKey: 'verdict',
    }),
  )
  .edge('ask_again', 'judge', { on: 'success', description: 'To the judge.', labels: ['a'] })
  .step('rules', ({ state, policy: check }) =>
    check({
      policyRef: 'spending',
      rules: [{ name: 'own', condition: gt(state.n, 0), message: 'n must be above 0' }],
      onViolation: { branch: { target: 'give_up' } },
      outputKey: 'checked',
    }),
  )
  .edge('judge', 'rules', ({ output }) => ({ condition: gt(output.score, 0.5) }))
  .step('give_up', ({ limitExceeded }) => limitExceeded({ message: 'it was not enough' }))
  .step('refuse', ({ state, fail }) =>
    fail({ message: cel`"no more than " + string(${state.n})`, class: 'refused' }),
  )
  .edge('rules', 'refuse', { on: 'failure' })
  .edge('judge', 'give_up', ({ failure }) => ({
    on: 'failure',
    condition: cel`${failure.error_class} == "eval_failed"`,
  }))
  .finalizer('release', ({ execution, finalizer }) =>
    finalizer('python', {
      input: { outcome: execution.outcome },
      runOn: 'always',
      outputSchema: jsonSchema({}),
      outputKey: 'released',
    }),
  )
  .start('begin')
  .build();

const wish = {
  requiredSkills: ['translate'],
  preferredSkills: ['proofread'],
  weights: { skills: 1, trust: 0.6, cost: 0.4, latency: 0 },
  budget: { maxCostUsd: 0.5 },
  tiebreaker: 'model',
  model: 'fast',
} as const;

export const flow = workflow('flow', {
  state: z.object({ n: z.number(), names: z.array(z.string()), order_id: z.string() }),
  remoteAgents: { translator: { url: 'https://translator.example' } },
  models: { fast: { provider: 'openai', model: 'gpt-5-mini' } },
  tokenBudget: 1000,
})
  .step('split', ({ parallel }) => parallel({ branches: ['left', 'right'] }))
  .step('left', ({ state, map }) =>
    map({
      items: state.names,
      itemKey: 'name',
      step: ({ item, pass }) => pass({ output: { greeting: cel<string>`"Hello, " + ${item}` } }),
      maxConcurrency: 20,
      onItemFailure: 'collect',
      outputKey: 'greetings',
    }),
  )
  .step('right', ({ state, map }) =>
    map({
      items: state.names,
      step: ({ item, subgraph }) => subgraph(child, { input: { name: item } }),
      outputKey: 'children',
    }),
  )
  .step('both', ({ join }) =>
    join({ waitFor: ['left', 'right'], mergeStrategy: 'first', outputKey: 'results' }),
  )
  .step('merged', ({ join }) => join({ mergeStrategy: { custom: 'merge:all' } }))
  .edge('both', 'merged')
  .next('pause', ({ wait }) => wait({ condition: 'timer', timeout: 2 }))
  .next('until', ({ wait }) => wait({ condition: 'timer', until: '2030-01-31T09:00:00Z' }))
  .next('payment', ({ state, wait }) =>
    wait({
      condition: 'either',
      correlationKey: state.order_id,
      payload: typeOnly<{ paid: boolean }>(),
      timeout: '1h',
      outputKey: 'payment',
    }),
  )
  .next('event', ({ wait }) => wait({ condition: 'external_event' }))
  .next('review', ({ humanApproval }) =>
    humanApproval({ description: 'May this be published?', timeout: '7d' }),
  )
  .next('sub', ({ subgraph }) =>
    subgraph(child, {
      input: { name: 'Ada' },
      workflowVersion: '1.0.0',
      outputMapping: ({ output }) => ({ greeting: output.greeting }),
      onChildFailure: 'complete',
    }),
  )
  .next('translate', ({ state, a2aTask }) =>
    a2aTask({
      remoteAgent: 'translator',
      skill: 'translate',
      stream: true,
      onInputRequired: 'fail',
      input: { text: state.greeting },
      outputKey: 'translation',
    }),
  )
  .next('auto', ({ agent }) =>
    agent({
      agent: 'auto',
      skill: 'translate',
      ...wish,
      timeoutMs: 60_000,
      stream: false,
      onInputRequired: 'park',
    }),
  )
  .next('known', ({ agent }) => agent({ agentRef: 'translator', budget: 1 }))
  .next('at', ({ agent }) => agent({ agent: { explicit: 'https://agent.example' } }))
  .next('discover', ({ agentDiscovery }) =>
    agentDiscovery({ ...wish, skill: 'translate', outputBinding: 'agents', outputKey: 'found' }),
  )
  .next('pick', ({ coordinator }) =>
    coordinator({ ...wish, skill: 'translate', outputBinding: 'picked' }),
  )
  .next('recall', ({ state, memoryRetrieval }) =>
    memoryRetrieval({
      query: state.order_id,
      k: 3,
      agentId: state.picked.agent_id,
      endUserId: 'somebody',
      connectorRef: 'memory',
      outputKey: 'remembered',
    }),
  )
  .next('choose', ({ state, condition }) =>
    condition({
      branches: [
        { condition: cel`size(${state.remembered.facts}) > 0`, target: 'recall' },
        { target: 'end' },
      ],
    }),
  )
  .start('split')
  .build();
