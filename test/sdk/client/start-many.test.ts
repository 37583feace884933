import test, { type ExecutionContext } from 'ava';
import { createClient, type BodyOf } from 'svc-sdk/client';

import { lose, startScriptedServer, type Step } from './support/scripted-server.ts';

type Entry = BodyOf<'start-executions'>['executions'][number];
type Verdict = (entry: Entry) => object;

const started: Verdict = ({ input }) => ({
  status: 201,
  execution_id: `exec_${String(input['n'])}`,
});
const limited: Verdict = () => ({
  status: 429,
  error: 'limit exceeded: x',
  limit: 'x',
  max: 1,
  retry_after_seconds: 2,
});
const away: Verdict = () => ({ status: 503, error: 'unavailable: x' });
const wrong: Verdict = () => ({ status: 404, error: 'not found: workflow w' });

/** Answers each entry by its number. */
const judge =
  (verdictOn: (n: number) => Verdict = () => started): Step =>
  (to, { body }) => {
    const results = entriesOf(body).map((entry) => verdictOn(Number(entry.input['n']))(entry));
    to.writeHead(200, { 'content-type': 'application/json' });
    to.end(JSON.stringify({ results }));
  };

function entriesOf(body: string): readonly Entry[] {
  return (JSON.parse(body) as BodyOf<'start-executions'>).executions;
}

async function open(t: ExecutionContext, ...steps: readonly Step[]) {
  const server = await startScriptedServer(...steps);
  t.teardown(() => server.close());
  const waits: number[] = [];
  const client = createClient({
    url: server.url,
    environment: {
      random: () => 0.5,
      after: (ms, action) => {
        if (ms < LIMIT_MS_MIN) waits.push(ms);
        const timer = setTimeout(action, ms < LIMIT_MS_MIN ? 0 : ms);
        return () => clearTimeout(timer);
      },
    },
  });
  const sent = () => server.seen.map(({ body }) => entriesOf(body));
  return { client, sent, waits };
}

/** Waits between attempts are shorter, time limits longer. */
const LIMIT_MS_MIN = 5_000;

const entryOf = (n: number): Entry => ({ workflow_id: 'w', input: { n } });

async function* produce(count: number): AsyncGenerator<Entry> {
  for (let n = 0; n < count; n += 1) yield entryOf(n);
}

test('entries of any number are sent in batches, and answered in their order', async (t) => {
  const { client, sent } = await open(t, judge());
  const firsts: number[] = [];
  const verdicts = await client.executions.startMany(produce(2_500), {
    onVerdicts: (found, first) => firsts.push(first, found.length),
  });
  t.deepEqual(
    sent().map(({ length }) => length),
    [1_000, 1_000, 500],
  );
  t.deepEqual(firsts, [0, 1_000, 1_000, 1_000, 2_000, 500]);
  t.is(verdicts.length, 2_500);
  t.is(verdicts[2_345]?.execution_id, 'exec_2345');
  t.is(
    new Set(
      sent()
        .flat()
        .map(({ idempotency_key: key }) => key),
    ).size,
    2_500,
  );
  t.deepEqual(await client.executions.startMany([]), []);
  t.is(sent().length, 3);
});

test('large entries are sent in smaller batches', async (t) => {
  const { client, sent } = await open(t, judge());
  const large = (n: number) => ({ workflow_id: 'w', input: { n, text: 'x'.repeat(1_500_000) } });
  t.is((await client.executions.startMany([1, 2, 3, 4, 5].map(large))).length, 5);
  t.deepEqual(
    sent().map(({ length }) => length),
    [2, 2, 1],
  );
});

test('a batch whose answer is lost is sent again under the same keys', async (t) => {
  const { client, sent } = await open(t, lose, judge());
  const entries = [entryOf(1), { ...entryOf(2), idempotency_key: 'order-2' }];
  await client.executions.startMany(entries);
  const [first, second] = sent();
  t.deepEqual(first, second);
  t.is(first?.[1]?.idempotency_key, 'order-2');
});

test('entries that may start later are sent again, and only these', async (t) => {
  const { client, sent, waits } = await open(
    t,
    judge((n) => [started, limited, away, wrong][n] ?? started),
    judge((n) => (n === 1 ? limited : started)),
    judge(),
  );
  const verdicts = await client.executions.startMany([0, 1, 2, 3].map(entryOf));
  t.deepEqual(
    verdicts.map(({ status }) => status),
    [201, 201, 201, 404],
  );
  t.deepEqual(
    sent().map((entries) => entries.map(({ input }) => input['n'])),
    [[0, 1, 2, 3], [1, 2], [1]],
  );
  t.is(sent()[2]?.[0]?.idempotency_key, sent()[0]?.[1]?.idempotency_key);
  t.deepEqual(waits, [2_050, 2_100]);
});

test('an entry that stays refused has the last verdict', async (t) => {
  const { client, sent } = await open(
    t,
    judge(() => limited),
  );
  const [verdict] = await client.executions.startMany([entryOf(1)]);
  t.like(verdict, { status: 429, error: 'limit exceeded: x', limit: 'x' });
  t.is(sent().length, 4);
});
