import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import test from 'ava';

import { eventually } from '../support/eventually.ts';
import { startFakeModelProvider } from '../support/servers/fake-model-provider.ts';
import { serveJson, startHttpServer } from '../support/servers/http-server.ts';
import { freePort } from '../support/servers/ports.ts';
import { createFolder, runSvc, startSvc, type Outcome, type RunningSvc } from './run-svc.ts';

/* `svc eval run` against one `svc dev`. */

const folder = createFolder();
const cwd = folder.path;
let url = '';
let dev: RunningSvc;

/** Writes the double of `state.n` as `doubled`; fails below 0. */
const DOUBLE = {
  workflow_id: 'double',
  state_schema: { properties: { n: { type: 'number' } }, required: ['n'] },
  start_node: 'check',
  nodes: {
    check: {
      kind: {
        type: 'condition',
        branches: [{ condition: 'state.n < 0', target: 'refuse' }, { target: 'double' }],
      },
    },
    refuse: { kind: { type: 'limit_exceeded', message: 'below 0' } },
    double: { kind: { type: 'pass', output: { doubled: { expr: 'state.n * 2' } } } },
  },
};

const waiting = (workflowId: string) => ({
  workflow_id: workflowId,
  nodes: { hold: { kind: { type: 'wait', condition: 'external_event' } } },
});

test.before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  dev = startSvc(['dev', '--port', String(port)], { cwd });
  await dev.waitFor(/is running at/);
  await write('double.json', JSON.stringify(DOUBLE));
});

test.after.always(async () => {
  await dev.stop();
  await folder.remove();
});

const write = (name: string, text: string) => writeFile(join(cwd, name), text);

/** Rows as JSON lines. */
const writeRows = (name: string, rows: readonly object[]) =>
  write(name, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

function evaluate(file: string, ...options: string[]): Promise<Outcome> {
  return runSvc(['eval', 'run', file, ...options], { cwd, env: { SVC_URL: url } });
}

interface Report {
  readonly cases: readonly {
    readonly id: string;
    readonly passed: boolean;
    readonly score: number;
    readonly error: string | null;
    readonly execution_id: string | null;
    readonly duration_ms: number | null;
    readonly waited_ms: number | null;
    readonly scorers: readonly { readonly name: string; readonly reason: string }[];
  }[];
  readonly summary: Readonly<Record<string, unknown>>;
  readonly complete: boolean;
  readonly passed: boolean;
}

const parse = (text: string) => JSON.parse(text) as Report;
const readReport = async (name: string) => parse(await readFile(join(cwd, name), 'utf8'));

async function listExecutions(
  workflowId: string,
): Promise<readonly { readonly status: string; readonly execution_id: string }[]> {
  const response = await fetch(`${url}/executions?workflow_id=${workflowId}`);
  return ((await response.json()) as { executions: { status: string; execution_id: string }[] })
    .executions;
}

test('0: the example judges a workflow by a CSV file, and reports it', async (t) => {
  const example = fileURLToPath(new URL('../../examples/eval/shipping.yaml', import.meta.url));
  const { code, stdout, stderr } = await evaluate(example, '--report', 'shipping-report.json');
  t.is(code, 0, stderr);
  t.regex(stdout, /^SCORER +PASS RATE +MEAN SCORE$/m);
  t.regex(stdout, /^price +100\.0 % +1\.000$/m);
  t.regex(stdout, /^6 of 6 cases passed, p50 \d+ ms, p95 \d+ ms$/m);
  t.regex(stdout, /^met: pass_rate 1, bound 1$/m);
  t.regex(stderr, /^6 of 6 cases done, 6 passed\nreport: shipping-report\.json\n$/m);
  const report = await readReport('shipping-report.json');
  t.like(report, {
    workflow: { id: 'example-shipping', version: '1.0.0' },
    complete: true,
    passed: true,
  });
  t.deepEqual(
    report.cases.map(({ id }) => id),
    ['home-light', 'home-heavy', 'near', 'near-heavy', 'far', 'far, and heavy'],
  );
  t.like(report.cases[5], {
    line: 7,
    passed: true,
    score: 1,
    error: null,
    tokens: 0,
    cost_usd: 0,
    input: { country: 'US', weight_kg: 12 },
    expected: { zone: 'far', price: 24 },
    output: { zone: 'far', price: 24 },
  });
  t.regex(report.cases[5]?.execution_id ?? '', /^exec_/);
});

test('1: below the threshold; each case that failed says why', async (t) => {
  await writeRows('mixed.jsonl', [
    { id: 'right', input: { n: 2 }, expected: 4 },
    { id: 'wrong', input: { n: 2 }, expected: 5 },
    { id: 'failing', input: { n: -1 }, expected: 0 },
    { id: 'refused', input: { n: 'two' }, expected: 0 },
  ]);
  const args = [
    'mixed.jsonl',
    '--workflow',
    'double.json',
    '--check',
    'output.doubled == expected',
  ];
  const table = await evaluate(...(args as [string]));
  t.is(table.code, 1);
  t.regex(table.stdout, /^FAILED CASE +SCORE +EXECUTION +WHY$/m);
  t.regex(
    table.stdout,
    /^wrong +0\.000 +exec_\w+ +--check: 1 of 1 check failed: expression `output/m,
  );
  t.regex(table.stdout, /^failing +0\.000 +exec_\w+ +.*limit exceeded: below 0$/m);
  t.regex(table.stdout, /^refused +0\.000 +- +bad request: /m);
  t.regex(table.stdout, /^1 of 4 cases passed, 2 without an output/m);
  t.regex(table.stderr, /^error: pass_rate 0\.25 is below 1\n$/m);

  t.is((await evaluate(...(args as [string]), '--threshold', '0.25')).code, 0);

  const json = await evaluate(...(args as [string]), '-o', 'json');
  t.is(json.code, 1);
  const report = parse(json.stdout);
  t.like(report.summary, { cases: 4, passed: 1, failed: 3, errors: 2, pass_rate: 0.25 });
  t.like(report, { complete: true, passed: false });
});

test('0: one case is compared with what it was in an earlier report', async (t) => {
  const run = async (report: string, checks: readonly number[], ...options: string[]) => {
    await writeRows(
      'compared.jsonl',
      checks.map((expected, n) => ({ id: `case-${n}`, input: { n }, expected })),
    );
    // The names of `--report` and `--output json` in older scripts.
    const flags = ['--check', 'output.doubled == expected', '--threshold', '0', '--json'];
    const args = ['--workflow', 'double.json', '--output', report, ...flags, ...options];
    const outcome = await evaluate('compared.jsonl', ...args);
    t.is(outcome.code, 0, outcome.stderr);
    return JSON.parse(outcome.stdout) as { readonly comparison: unknown };
  };
  t.is((await run('first.json', [0, 2, 0, 0, 8])).comparison, null);
  const expected = {
    regressions: [{ id: 'case-1', earlier: 1, now: 0 }],
    improvements: [{ id: 'case-2', earlier: 0, now: 1 }],
    score_down: [],
    score_up: [],
    unchanged: 2,
    added: [],
    removed: ['case-4'],
  };
  const second = await run('second.json', [0, 0, 4, 0], '--compare', 'first.json');
  t.deepEqual(second.comparison, expected);

  // Another formatting of the file is still a valid report.
  const formatted = JSON.stringify(
    JSON.parse(await readFile(join(cwd, 'first.json'), 'utf8')),
    null,
    4,
  );
  await write('formatted.json', formatted);
  const third = await run('third.json', [0, 0, 4, 0], '--compare', 'formatted.json');
  t.deepEqual(third.comparison, expected);
});

test('0: outputs of the data set are judged without a runtime', async (t) => {
  await writeRows('outputs.jsonl', [
    { question: 'a', answer: { text: 'yes' }, right: 'yes' },
    { question: 'b', answer: { text: 'no' }, right: 'yes' },
  ]);
  await write(
    'outputs.toml',
    [
      'dataset = "outputs.jsonl"',
      'output = "$.answer.text"',
      'expected = "$.right"',
      'threshold = 0.5',
      '[[scorers]]',
      'type = "assertion"',
      'checks = ["output == expected", "has(input.question)"]',
    ].join('\n'),
  );
  const { code, stdout, stderr } = await runSvc(['eval', 'run', 'outputs.toml', '-o', 'json'], {
    cwd,
    env: { SVC_URL: 'http://127.0.0.1:9' },
  });
  t.is(code, 0, stderr);
  const report = parse(stdout);
  t.deepEqual(
    report.cases.map(({ id, score, execution_id: execution }) => [id, score, execution]),
    [
      ['1', 1, null],
      ['2', 0.5, null],
    ],
  );
  t.like(report.cases[0], { input: { question: 'a' }, output: 'yes', duration_ms: null });
});

test('2: bad rows are all named by their lines, and nothing is run', async (t) => {
  await write('bad.jsonl', '{"n":1}\n{"n":\n[1]\n{"id":"1","n":1}\n{"id":[],"n":2}\n');
  const { code, stdout, stderr } = await evaluate(
    'bad.jsonl',
    '--workflow',
    'x',
    '--check',
    'true',
  );
  t.is(code, 2);
  t.is(stdout, '');
  const file = 'bad.jsonl';
  t.is(
    stderr,
    [
      `${file}:2: is not JSON`,
      `${file}:3: is not a JSON object`,
      `${file}:4: another case has the id "1"`,
      `${file}:5: the id is neither text nor a number`,
      `error: ${file} has 4 bad rows\n`,
    ].join('\n'),
  );
});

test('2: a mapping that fails names the line of the row', async (t) => {
  await write('numbers.csv', 'n,expected\n1,2\ntwo,4\n');
  await write(
    'numbers.yaml',
    'workflow: double\ndataset: numbers.csv\ninput: { n: { expr: int(input.n) } }\nscorers: [{ type: assertion, check: "true" }]\n',
  );
  const { code, stderr } = await evaluate('numbers.yaml');
  t.is(code, 2);
  t.regex(stderr, /numbers\.csv:3: input: expression `int\(input\.n\)`: /);
});

test('2: an invalid description gets every problem and its place', async (t) => {
  await write(
    'wrong.yaml',
    `dataset: rows.txt
treshold: 1
scorers:
  - type: assertion
    checks: ["output =="]
  - { type: llm_judge, rubric: Good?, model_ref: none }
thresholds: { p99_ms: 1 }
concurrency: 0
timeout_secs: soon
`,
  );
  const { code, stderr } = await evaluate('wrong.yaml');
  t.is(code, 2);
  const places = stderr.split('\n').map((line) => line.split(': ').slice(0, 2).join(' '));
  t.deepEqual(places, [
    'wrong.yaml:2 /treshold',
    'wrong.yaml:1 /dataset',
    'wrong.yaml:5 /scorers/0/checks/0',
    'wrong.yaml:6 /scorers/1/model_ref',
    'wrong.yaml:8 /concurrency',
    'wrong.yaml:7 /thresholds/p99_ms',
    'wrong.yaml:9 /timeout_secs',
    'error wrong.yaml cannot be run',
    '',
  ]);
});

test('2: there is no latency or cost to judge where nothing is run', async (t) => {
  await writeRows('one.jsonl', [{ output: 1 }]);
  await write(
    'offline.json',
    '{"dataset": "one.jsonl", "scorers": [{"type": "latency", "max_ms": 5}, {"type": "cost", "max_usd": 1}]}',
  );
  const { code, stderr } = await evaluate('offline.json');
  t.is(code, 2);
  t.regex(stderr, /\/scorers\/0\/type: latency needs a workflow to score/);
  t.regex(stderr, /\/scorers\/1\/type: cost needs a workflow to score/);
});

for (const [title, args, message] of [
  ['a data set alone', ['mixed.csv'], /a data set without checks: give --check/],
  ['a file that does not exist', ['none.yaml'], /"none\.yaml" does not exist/],
  ['a data set that does not exist', ['none.csv', '--check', 'true'], /none\.csv" does not exist/],
  ['a threshold above 1', ['x.csv', '--threshold', '2'], /Expected a number from 0 to 1/],
  ['no concurrency', ['x.csv', '--check', 'true', '--concurrency', '0'], /--concurrency must be/],
] as const) {
  test(`2: ${title}`, async (t) => {
    const { code, stderr } = await evaluate(...(args as readonly string[] as [string]));
    t.is(code, 2);
    t.regex(stderr, message);
  });
}

test('2: a comparison with a file that is no report, and a report that cannot be written', async (t) => {
  await writeRows('fine.jsonl', [{ id: 1, output: 1 }]);
  const flags = ['--check', 'true'];
  for (const file of ['fine.jsonl', 'none.json', '.', 'double.json']) {
    const { code, stderr } = await evaluate('fine.jsonl', ...flags, '--compare', file);
    t.is(code, 2, stderr);
  }
  const { code, stderr } = await evaluate('fine.jsonl', ...flags, '--report', 'none/report.json');
  t.is(code, 2);
  t.regex(stderr, /the report cannot be written to "none\/report\.json\.part": ENOENT/);
});

test('1 and 4: a missing runtime and a missing workflow are reported before the first case', async (t) => {
  await writeRows('single.jsonl', [{ n: 1 }]);
  const args = ['single.jsonl', '--check', 'true', '--workflow', 'nowhere'];
  const missing = await evaluate(...(args as [string]));
  t.is(missing.code, 4);
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const gone = await evaluate(...(args as [string]), '--url', nobody);
  t.is(gone.code, 1);
  t.true(gone.stderr.includes(`no runtime listens at ${nobody}`), gone.stderr);
});

test('3: a runtime that turns the client away ends it, and the report is written', async (t) => {
  const server = await startHttpServer((request, response) => {
    if (request.method === 'GET') {
      return serveJson({ '/workflows/w': { workflow_id: 'w', version: '1' } })(request, response);
    }
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"error":"unauthorized"}');
  });
  t.teardown(() => server.close());
  await writeRows(
    'many.jsonl',
    Array.from({ length: 500 }, (_, n) => ({ n })),
  );
  const args = [
    '--workflow',
    'w',
    '--check',
    'true',
    '--report',
    'refused.json',
    '--url',
    server.url,
  ];
  const { code } = await evaluate('many.jsonl', ...args, '--concurrency', '2');
  t.is(code, 3);
  t.true(server.requests.length < 10);
  const report = await readReport('refused.json');
  t.like(report, { complete: false, passed: false, cases: [] });
});

test('1: a case that takes too long is cancelled', async (t) => {
  await write('late.json', JSON.stringify(waiting('late')));
  await writeRows('late.jsonl', [{ n: 1 }]);
  await write(
    'late.yaml',
    'workflow: late.json\ndataset: late.jsonl\ntimeout_secs: 0.3\nscorers: [{ type: latency, max_ms: 9 }]\n',
  );
  const { code, stdout } = await evaluate('late.yaml', '--output', 'json');
  t.is(code, 1);
  t.is(parse(stdout).cases[0]?.error, 'not done within 0.3 s');
  t.deepEqual(
    (await listExecutions('late')).map(({ status }) => status),
    ['cancelled'],
  );
});

const refusing = (workflowId: string, kind: object) => ({
  workflow_id: workflowId,
  concurrency: { limit: 1, when_full: 'refuse' },
  nodes: { run: { kind } },
});

test('0: a start that finds no place is repeated, and the report says so', async (t) => {
  const pause = { type: 'wait', condition: 'timer', timeout_secs: 2 };
  await write('single.json', JSON.stringify(refusing('single', pause)));
  await writeRows('single.jsonl', [{ n: 1 }, { n: 2 }, { n: 3 }]);
  await write(
    'single.yaml',
    'workflow: single.json\ndataset: single.jsonl\nconcurrency: 3\nscorers: [{ type: latency, max_ms: 60000 }]\n',
  );
  const { code, stdout, stderr } = await evaluate('single.yaml', '--report', 'single.report.json');
  t.is(code, 0, stderr);
  t.regex(stdout, /3 of 3 cases passed.*, 2 waited for a place, up to \d+ ms/);
  const { cases, summary } = await readReport('single.report.json');
  const waits = cases.map(({ waited_ms: ms }) => ms).filter((ms) => ms !== null);
  t.is(waits.length, 2);
  t.like(summary, { waited: 2, longest_wait_ms: Math.max(...waits), errors: 0 });
});

test('1: a start that gets no place in the time of its case fails, and says why', async (t) => {
  const hold = { type: 'wait', condition: 'external_event' };
  await write('full.json', JSON.stringify(refusing('full', hold)));
  await writeRows('full.jsonl', [{ n: 1 }, { n: 2 }]);
  await write(
    'full.yaml',
    'workflow: full.json\ndataset: full.jsonl\nconcurrency: 2\ntimeout_secs: 4\nscorers: [{ type: latency, max_ms: 60000 }]\n',
  );
  const { code, stdout } = await evaluate('full.yaml', '--output', 'json');
  t.is(code, 1);
  const errors = parse(stdout)
    .cases.map(({ error }) => error ?? '')
    .toSorted();
  t.is(errors[0], 'not done within 4 s');
  t.regex(errors[1] ?? '', /^not started within 4 s: conflict: workflow full refuses this start/);
});

test('0: an execution that continues as a new one is followed to its end', async (t) => {
  await write(
    'counting.json',
    JSON.stringify({
      workflow_id: 'counting',
      start_node: 'count',
      nodes: { count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } } },
      edges: [{ from: 'count', to: 'count', condition: 'state.n < 120' }],
      continue_as_new: { after_events: 100 },
    }),
  );
  await writeRows('counting.jsonl', [{ n: 0 }]);
  const args = ['--workflow', 'counting.json', '--check', 'output.n == 120', '--json'];
  const { code, stdout, stderr } = await evaluate('counting.jsonl', ...args);
  t.is(code, 0, stderr);
  const executions = await listExecutions('counting');
  t.true(executions.length > 1);
  t.is(parse(stdout).cases[0]?.execution_id, executions[0]?.execution_id);
});

test('a case that nobody works on says so, once for all cases', async (t) => {
  const kind = { type: 'python_fn', module: 'nobody', function: 'serves' };
  await write('unserved.json', JSON.stringify({ workflow_id: 'unserved', nodes: { a: { kind } } }));
  await writeRows('unserved.jsonl', [{ n: 1 }, { n: 2 }]);
  const args = ['unserved.jsonl', '--workflow', 'unserved.json', '--check', 'true'];
  const run = startSvc(['eval', 'run', ...args], { cwd, env: { SVC_URL: url } });
  await run.waitFor(
    /exec_\w+ waits: .*no worker.*; it continues with: a worker that claims nobody\.serves/,
  );
  await run.stop('SIGINT');
  t.is(run.output().match(/ waits: /g)?.length, 1);
});

test('a case that waits for a decision says so', async (t) => {
  const nodes = { ask: { kind: { type: 'human_approval', description: 'Ship it?' } } };
  await write('decided.json', JSON.stringify({ workflow_id: 'decided', nodes }));
  await writeRows('decided.jsonl', [{ n: 1 }]);
  const args = ['decided.jsonl', '--workflow', 'decided.json', '--check', 'true'];
  const run = startSvc(['eval', 'run', ...args], { cwd, env: { SVC_URL: url } });
  await run.waitFor(
    /exec_\w+ waits: a person must decide on node ask: Ship it\?;.* execution approve/,
  );
  await run.stop('SIGINT');
  t.pass();
});

test('130: Ctrl-C cancels what is under way, and the report is written', async (t) => {
  await write('held.json', JSON.stringify(waiting('held')));
  await writeRows(
    'held.jsonl',
    Array.from({ length: 50 }, (_, n) => ({ n })),
  );
  const args = ['held.jsonl', '--workflow', 'held.json', '--check', 'true', '--concurrency', '3'];
  const run = startSvc(['eval', 'run', ...args, '--report', 'held-report.json'], {
    cwd,
    env: { SVC_URL: url },
  });
  const threeAreHeld = async (): Promise<void> => {
    const held = await listExecutions('held');
    if (held.filter(({ status }) => status === 'paused').length < 3) throw new Error('not yet');
  };
  // The command is a process that starts late on a busy machine.
  await eventually(threeAreHeld, { withinMs: 60_000 });
  t.is((await run.stop('SIGINT')).code, 130, run.output());
  t.regex(run.output(), /interrupted: cancelling/);
  const report = await readReport('held-report.json');
  t.like(report, { complete: false, passed: false });
  t.deepEqual(
    report.cases.map(({ error }) => error),
    Array.from({ length: 3 }, () => 'the evaluation was interrupted'),
  );
  const executions = await listExecutions('held');
  t.is(executions.length, 3);
  t.true(executions.every(({ status }) => status === 'cancelled'));
});

test('0 and 1: a model judges by a rubric, asked with the key of the environment', async (t) => {
  const provider = await startFakeModelProvider();
  t.teardown(() => provider.close());
  let busy = 0;
  provider.answer('strict', ({ body }) => {
    if ((busy += 1) === 1) return { status: 429, headers: { 'retry-after': '0' } };
    const isPolite = JSON.stringify(body).includes('please');
    const score = isPolite ? 0.9 : 0.2;
    return {
      text: JSON.stringify({ score, reason: `a ${score}` }),
      inputTokens: 10,
      outputTokens: 2,
    };
  });
  await writeRows('polite.jsonl', [{ output: 'please wait' }, { output: 'wait' }]);
  await write(
    'polite.yaml',
    `dataset: polite.jsonl
models: { judge: { provider: openai, model: strict } }
scorers: [{ type: llm_judge, name: polite, rubric: Is it polite?, model_ref: judge }]
threshold: 0.5
`,
  );
  const run = (env: Readonly<Record<string, string>>, ...options: string[]) =>
    runSvc(['eval', 'run', 'polite.yaml', ...options], { cwd, env });
  const env = { OPENAI_BASE_URL: provider.baseUrls.openai, OPENAI_API_KEY: 'sk-of-mine' };
  const { code, stdout, stderr } = await run(env, '--json');
  t.is(code, 0, stderr);
  const report = parse(stdout);
  t.deepEqual(
    report.cases.map(({ passed, scorers }) => [passed, scorers[0]?.reason]),
    [
      [true, 'a 0.9'],
      [false, 'a 0.2'],
    ],
  );
  t.like(report, { judge: { calls: 3, tokens: 24, cost_usd: null } });
  t.is(provider.requests[0]?.headers['authorization'], 'Bearer sk-of-mine');

  provider.answer('strict', { text: 'I would say it is fine.' });
  const vague = await run(env);
  t.is(vague.code, 1);
  t.regex(vague.stdout, /polite: it was not judged: strict gave no judgement/);
  t.regex(vague.stdout, /^judges answered 6 calls, /m);

  const keyless = await run({});
  t.is(keyless.code, 2);
  t.regex(keyless.stderr, /provider openai needs a key/);
});

test('0: a runtime at its limits, or away for a moment, is asked again', async (t) => {
  const answers: Readonly<Record<string, object>> = {
    '/workflows/w': { workflow_id: 'w', version: '1' },
    '/executions': { execution_id: 'exec_1' },
    '/executions/exec_1': {
      execution_id: 'exec_1',
      status: 'completed',
      created_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:00.250Z',
      state: { n: 1 },
    },
  };
  const troubles: ((response: ServerResponse) => void)[] = [
    (response) => void response.writeHead(429).end('{"error":"too many"}'),
    (response) => void response.destroy(),
  ];
  const asked = new Map<string, number>();
  const events =
    'data: {"sequence":1,"kind":"NodeCompleted","node_id":"a","payload":{"usage":{"input_tokens":7,"output_tokens":1,"cost_usd":0.5}}}\n\n' +
    'data: {"sequence":2,"kind":"StepRecorded","node_id":"f","payload":{"entries":[{"usage":{"input_tokens":2,"output_tokens":0,"cost_usd":0.25}},{}]}}\n\n' +
    'data: {"sequence":3,"kind":"StepRecorded","node_id":"f","payload":{"carried":true,"entries":[{"usage":{"input_tokens":9,"output_tokens":0,"cost_usd":1}}]}}\n\n' +
    'data: {"sequence":4,"kind":"WorkflowCompleted","node_id":null,"payload":{}}\n\n';
  const server = await startHttpServer((request, response) => {
    const path = request.url ?? '';
    const times = (asked.get(path) ?? 0) + 1;
    asked.set(path, times);
    const trouble = path === '/workflows/w' ? undefined : troubles[times - 1];
    if (trouble !== undefined) return trouble(response);
    if (!path.endsWith('/events')) return serveJson(answers)(request, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
  });
  t.teardown(() => server.close());
  await writeRows('patient.jsonl', [{ n: 1 }]);
  const args = ['--workflow', 'w', '--check', 'output.n == 1', '--json', '--url', server.url];
  const { code, stdout, stderr } = await evaluate('patient.jsonl', ...args);
  t.is(code, 0, stderr);
  t.like(parse(stdout).cases[0], { duration_ms: 250, tokens: 10, cost_usd: 0.75 });
  t.deepEqual([...asked.values()], [1, 3, 3, 3]);
});
