import test from 'ava';
import { createWorker, defineFunction, defineTool, type WorkerOptions } from 'svc-sdk/worker';

const url = 'http://127.0.0.1:7700';
const tool = defineTool('payment.charge', () => ({}));

const refused: readonly (readonly [
  string,
  Omit<WorkerOptions, 'url'> & { url?: string },
  RegExp,
])[] = [
  [
    'an address without a protocol',
    { url: '127.0.0.1:7700', tools: [tool] },
    /must begin with http/,
  ],
  ['nothing to serve', {}, /at least one function or tool/],
  ['no room for an item', { tools: [tool], concurrency: 0 }, /from 1 to 1000: 0/],
  ['half an item', { tools: [tool], concurrency: 1.5 }, /from 1 to 1000: 1.5/],
  [
    'two tools of one name',
    { tools: [tool, tool] },
    /two definitions have the name payment.charge/,
  ],
  [
    'more names than a claim takes',
    { functions: Array.from({ length: 101 }, (_, at) => defineFunction(`f${at}`, () => {})) },
    /at most 100 functions and tools: 101/,
  ],
  [
    'a pinned function and no build',
    { functions: [defineFunction('kept', () => {}, { pinned: true })] },
    /the function kept is pinned, so its worker needs a buildId/,
  ],
  [
    'a build that claims cannot name',
    { tools: [tool], buildId: 'a@b' },
    /buildId must be .* "a@b"/,
  ],
];

for (const [what, options, message] of refused) {
  test(`a worker is refused with ${what}`, (t) => {
    t.throws(() => createWorker({ url, ...options }), { message });
  });
}

test('a name that would be a pattern of a claim is refused', (t) => {
  t.throws(() => defineTool('payment.*', () => ({})), { instanceOf: TypeError });
  t.throws(() => defineTool('', () => ({})), { instanceOf: TypeError });
  t.throws(() => defineFunction('order/1', () => {}), { instanceOf: TypeError });
});

test('a worker that stops before it runs claims nothing', async (t) => {
  let asked = 0;
  const worker = createWorker({
    url,
    tools: [tool],
    fetch: async () => {
      asked += 1;
      return new Response('{}');
    },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await worker.stop();
  await worker.run();
  t.is(asked, 0);
});

test('a function is the workflow of one node', (t) => {
  const order = defineFunction('order', () => {}, {
    queue: 'gpu',
    timeoutSecs: 60,
    retryPolicy: 'no_retry',
  });
  t.like(order.toIR(), {
    workflow_id: 'order',
    nodes: {
      run: {
        kind: { type: 'function', name: 'order', queue: 'gpu' },
        output_key: 'output',
        node_timeout_secs: 60,
        retry_policy: 'no_retry',
      },
    },
  });
});
