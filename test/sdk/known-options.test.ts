import test from 'ava';
import { createClient } from 'svc-sdk/client';
import { createWorker, defineFunction, defineTool } from 'svc-sdk/worker';
import { cel, httpTool, workflow } from 'svc-sdk/workflow';

/* Node checks no types, so the SDK refuses a typo that would be without effect. */

const url = 'http://127.0.0.1:7700';
const tools = [defineTool('a.b', () => ({}))];
const of = (rules: object) => () => defineFunction('sync', () => {}, { workflow: rules }).toIR();

const scored = (scorer: object) => () =>
  workflow('w').step('a', ({ eval: judge }) => judge({ scorers: [scorer] } as never));

const typos: readonly (readonly [string, () => unknown, string])[] = [
  [
    'a function',
    () => defineFunction('sync', () => {}, { quue: 'gpu' } as object),
    'the function sync has no option "quue": did you mean "queue"?',
  ],
  [
    'the workflow of a function',
    of({ concurency: { limit: 2 } }),
    'the workflow sync has no option "concurency": did you mean "concurrency"?',
  ],
  [
    'concurrency as JSON writes it',
    of({ concurrency: { limit: 2, when_full: 'refuse' } }),
    'concurrency has no option "when_full": did you mean "whenFull"?',
  ],
  ['rate', of({ rate: { limit: 2, per: '1m', brust: 1 } }), 'did you mean "burst"?'],
  ['debounce', of({ debounce: { wait: '1s', maxwait: '2s' } }), 'did you mean "maxWait"?'],
  ['batch', of({ batch: { wait: '1s', maximum: 2 } }), 'has no option "maximum": it has key, max'],
  ['fairness', of({ fairness: { key: cel`input.a`, weigth: 1 } }), 'did you mean "weight"?'],
  ['a workflow', () => workflow('w', { desciption: 'x' } as object), 'did you mean "description"?'],
  ['a worker', () => createWorker({ url, tool: tools } as object), 'did you mean "tools"?'],
  [
    'a step',
    () => workflow('w').step('a', ({ pass }) => pass({ ouput: 1 } as object)),
    'pass() has no option "ouput": did you mean "output"?',
  ],
  [
    'a step as JSON writes it',
    () => workflow('w').step('a', ({ pass }) => pass({ retry_policy: 'no_retry' } as object)),
    'pass() has no option "retry_policy": did you mean "retryPolicy"?',
  ],
  [
    'a model step',
    () => workflow('w').step('a', ({ model }) => model({ model: 'a/b', promt: 'x' } as never)),
    'model() has no option "promt": did you mean "prompt"?',
  ],
  [
    'an approval',
    () =>
      workflow('w').step('a', ({ humanApproval }) =>
        humanApproval({ description: 'Pay?', timout: '1h' } as never),
      ),
    'humanApproval() has no option "timout": did you mean "timeout"?',
  ],
  [
    'the retry policy of a step',
    () => workflow('w').step('a', ({ pass }) => pass({ retryPolicy: { maxAttemps: 2 } as object })),
    'a retry policy has no option "maxAttemps": did you mean "maxAttempts"?',
  ],
  [
    'a step of a map',
    () =>
      workflow('w').step('a', ({ map }) =>
        map({ items: [1], step: ({ pass }) => pass({ otput: 1 } as object) }),
      ),
    'pass() has no option "otput": did you mean "output"?',
  ],
  [
    'an edge',
    () =>
      workflow('w')
        .step('a', ({ pass }) => pass())
        .edge('a', 'end', { onn: 'failure' } as object),
    'the edge from a to end has no option "onn": did you mean "on"?',
  ],
  ['timeouts', () => workflow('w', { timeouts: { nodeTimout: 1 } as object }), '"nodeTimeout"?'],
  ['a tool', () => httpTool({ url: 'http://a/', mehtod: 'PUT' } as never), '"method"?'],
  [
    'an MCP server',
    () => workflow('w', { mcpServers: { s: { url: 'http://a/', transprot: 'stdio' } as never } }),
    'an MCP server has no option "transprot": did you mean "transport"?',
  ],
  [
    'a remote agent',
    () => workflow('w', { remoteAgents: { a: { url: 'http://a/', agentCard: '/x' } as never } }),
    'a remote agent has no option "agentCard": did you mean "agentCardPath"?',
  ],
  ['expose', () => workflow('w', { expose: { resutl: '$.a' } } as object), '"result"?'],
  [
    'continueAsNew',
    () => workflow('w', { continueAsNew: { afterEvent: 9 } } as object),
    '"afterEvents"?',
  ],
  ['a scorer', scored({ type: 'cost', maxUSD_: 1 }), 'a scorer of type cost has no option'],
  [
    'a check',
    scored({ type: 'assertion', checks: [{ check: cel`true`, wieght: 1 }] }),
    '"weight"?',
  ],
  ['a client', () => createClient({ tenant: 'acme' } as object), 'has no option "tenant"'],
];

for (const [what, act, message] of typos) {
  test(`a typo in an option is refused with its name: ${what}`, (t) => {
    const error = t.throws(act, { instanceOf: TypeError });
    t.true(error.message.includes(message), error.message);
  });
}

test('a typo in an option of a start sends nothing', async (t) => {
  const client = createClient({
    environment: { fetch: () => Promise.reject(new Error('nothing may be sent')) },
  });
  const options = { idempotencykey: 'order-1' } as object;
  await t.throwsAsync(client.start('sync', {}, options), {
    message: 'a start has no option "idempotencykey": did you mean "idempotencyKey"?',
  });
});

test('a typo in a filter of a list sends nothing', async (t) => {
  const client = createClient({
    environment: { fetch: () => Promise.reject(new Error('nothing may be sent')) },
  });
  const message = 'list-executions has no option "statsu": did you mean "status"?';
  const list = client.executions.list({ statsu: 'failed' } as object);
  await t.throwsAsync(list.page(), { instanceOf: TypeError, message });
  await t.throwsAsync(list.toArray(), { instanceOf: TypeError, message });
});

test('a key that is text is refused, because it would be dropped', (t) => {
  for (const rules of [
    { concurrency: { key: 'input.customer', limit: 2 } },
    { rate: { key: 'input.customer', limit: 2, per: '1m' } },
    { debounce: { key: 'input.customer', wait: '1s' } },
    { batch: { key: 'input.customer', max: 2, wait: '1s' } },
    { fairness: { key: 'input.customer' } },
  ]) {
    t.throws(of(rules), {
      instanceOf: TypeError,
      message: /^\w+\.key must be an expression, such as cel`input.customer`.*"input.customer"$/,
    });
  }
});

test('an option that is undefined is left out', (t) => {
  t.notThrows(() => createClient({ tenant: undefined } as object));
});
