import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * node mistaken-worker.ts [mistake]
 *
 * A worker that keeps every rule, or all but one. It serves all that the check has cases for.
 */

type JsonObject = Record<string, unknown>;

interface Item {
  readonly id: string;
  readonly queue_type: string;
  readonly payload: {
    readonly module: string;
    readonly function: string;
    readonly input: JsonObject;
  };
  readonly lease_fence: number;
  readonly idempotency_key?: string;
  readonly heartbeat_interval_ms?: number;
  readonly traceparent?: string;
  readonly journal?: { readonly entries: readonly { readonly output: unknown }[] };
}

interface Answer {
  /** 0: nothing is known. */
  readonly status: number;
  readonly body: JsonObject;
  readonly retryAfterMs: number;
}

const { SVC_URL: url = '', SVC_TOKEN: token = '' } = process.env;
const [, , mistake = 'none'] = process.argv;
const has = (...names: readonly string[]) => names.includes(mistake);
const DEADLINE_MS = 2_000;

const workerId = `mistaken-${process.pid}`;
const stopping = new AbortController();
const deadline = new AbortController();
const busy = new Set<Promise<void>>();
const seen = new Set<string>();
const labelsOf = new Map<string, JsonObject>();
let cancelled = 0;

class Failure extends Error {
  readonly members: JsonObject;
  constructor(message: string, members: JsonObject = {}) {
    super(message);
    this.members = members;
  }
}

type Tool = (
  input: JsonObject,
  item: Item,
  signal: AbortSignal,
) => JsonObject | Promise<JsonObject>;

const TOOLS: Readonly<Record<string, Tool>> = {
  'check.echo': (input) => {
    if (has('wrong-output')) return {};
    if (has('ascii-only')) return JSON.parse(JSON.stringify(input).replaceAll(/[^ -~]/g, '?'));
    if (!has('short-texts')) return input;
    return { ...input, text: String(input['text']).slice(0, 65_536) };
  },
  'check.call': (_, item) => ({
    call: randomUUID(),
    idempotency_key: has('no-key-for-tools') ? null : (item.idempotency_key ?? item.id),
  }),
  'check.fail': ({ message }) => {
    if (has('completes-failures')) return { error: message };
    throw new Failure(String(message));
  },
  'check.slow': async ({ ms }) => {
    await delay(Number(ms));
    return { ms };
  },
  'check.fatal': ({ message }) => {
    throw new Failure(String(message), { final: true });
  },
  'check.retry_after': ({ ms }) => {
    throw new Failure('later', has('no-retry-after') ? {} : { retry_after_ms: ms });
  },
  'check.trace': (_, { traceparent }) => ({ traceparent: has('no-trace') ? null : traceparent }),
  'check.labels': (labels, { id }) => {
    if (!has('no-labels')) labelsOf.set(id, labels);
    return {};
  },
  'check.cancel': async ({ ms }, _, signal) => {
    const heeded = has('never-interrupts') ? {} : { signal };
    await delay(Number(ms), undefined, heeded).catch(() => (cancelled += 1));
    return {};
  },
  'check.cancelled': () => ({ cancelled }),
  'check.never': () => new Promise<JsonObject>(() => undefined),
};

const FUNCTIONS = ['check.steps', 'check.rides', 'check.steps_cancel'];

async function post(path: string, body: JsonObject, signal?: AbortSignal): Promise<Answer> {
  let retryAfterMs = 0;
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(!has('no-token') && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    });
    const { status } = response;
    retryAfterMs = Number(response.headers.get('retry-after')) * 1000 || 0;
    if (status === 408 || status === 429 || status >= 500) throw new Error(`status ${status}`);
    const text = await response.text();
    if (has('trusts-200') && !text.startsWith('{')) return { status, body: {}, retryAfterMs };
    return { status, body: JSON.parse(text) as JsonObject, retryAfterMs };
  } catch {
    if (has('ends-without-answer')) process.exit(7);
    return { status: 0, body: {}, retryAfterMs };
  }
}

async function rest(failures: number, { retryAfterMs }: Answer): Promise<void> {
  if (has('hammers')) return;
  const ms = Math.min(5_000, 250 * 2 ** failures) * (0.5 + Math.random() / 2);
  await delay(has('ignores-retry-after') ? ms : Math.max(ms, retryAfterMs));
}

async function postUntilAnswered(path: string, body: () => JsonObject, lost: AbortSignal) {
  const first = body();
  for (let failures = 0; !lost.aborted; failures += 1) {
    const answer = await post(path, has('calls-again') && failures > 0 ? body() : first);
    const repeats = has('repeats-conflicts') && [404, 409].includes(answer.status) && failures < 3;
    if (answer.status !== 0 && !repeats) return answer;
    if (has('never-repeats')) return answer;
    await rest(failures, answer);
  }
  return null;
}

function keepLease(item: Item) {
  const lost = new AbortController();
  const cancelled = new AbortController();
  const everyMs = has('needs-interval')
    ? item.heartbeat_interval_ms
    : (item.heartbeat_interval_ms ?? 10_000);
  const lose = () => {
    if (has('ignores-lost-leases')) return;
    lost.abort();
    release();
  };
  const renew = async () => {
    const body = { worker_id: workerId, lease_fence: fenceOf(item) };
    const signal = has('impatient') ? AbortSignal.timeout(400) : undefined;
    const answer = await post(`/work-items/${item.id}/heartbeat`, body, signal);
    const isLost = answer.status === 404 || answer.status === 409;
    if (isLost || (answer.status !== 200 && has('needs-answers', 'impatient'))) lose();
    const isCancelled = answer.body['cancel_requested'] === true;
    if (isCancelled && !has('ignores-cancel')) cancelled.abort();
  };
  const timer = setInterval(() => {
    if (!has('no-heartbeats')) void renew();
  }, everyMs);
  const release = () => {
    if (!has('heartbeats-after-loss')) clearInterval(timer);
  };
  return { lost: lost.signal, cancelled: cancelled.signal, release };
}

function fenceOf({ lease_fence: fence }: Item): number {
  return has('rounds-fences') ? Math.fround(fence) : fence;
}

async function workOn(item: Item): Promise<void> {
  if (has('remembers-items') && seen.has(item.id)) return;
  seen.add(item.id);
  const path = `/work-items/${item.id}`;
  const fenced = { lease_fence: fenceOf(item) };
  const lease = keepLease(item);
  const stopped = AbortSignal.any([lease.lost, lease.cancelled, deadline.signal]);
  try {
    const tool = TOOLS[nameOf(item)];
    const isKnown = tool !== undefined || item.queue_type === 'function';
    if (!isKnown && !has('completes-unknown-tools')) {
      await postUntilAnswered(`${path}/release`, () => fenced, lease.lost);
      return;
    }
    const result = await Promise.race([run(tool, item, stopped), whenAborted(stopped)]);
    if (lease.lost.aborted) return;
    if (result === null) {
      await postUntilAnswered(`${path}/release`, () => fenced, lease.lost);
      return;
    }
    await handIn(item, { result, lost: lease.lost });
  } finally {
    lease.release();
  }
}

type Result = { readonly output: JsonObject; readonly riding: JsonObject } | Failure;

async function run(tool: Tool | undefined, item: Item, signal: AbortSignal): Promise<Result> {
  if (nameOf(item) === 'check.steps_cancel') return new Promise<Result>(() => undefined);
  if (item.queue_type === 'function') return runFunction(item);
  try {
    return { output: (await tool?.(item.payload.input, item, signal)) ?? {}, riding: {} };
  } catch (error) {
    return error instanceof Failure ? error : new Failure(String(error));
  }
}

function runFunction(item: Item): Result {
  const { journal } = item;
  const entries = journal?.entries ?? [];
  if (nameOf(item) === 'check.rides') {
    const riding = ['first', 'second'].map((identity) => ({ identity, kind: 'step', attempts: 1 }));
    return { output: {}, riding: { expected_length: 0, entries: riding } };
  }
  const [recorded] = has('runs-steps-again') ? [] : entries;
  if (recorded !== undefined) {
    const riding = { expected_length: entries.length, entries: [] };
    return { output: { first: recorded.output }, riding };
  }
  const first = randomUUID();
  const entry = { identity: 'first', kind: 'step', output: first, attempts: 1 };
  const riding = { expected_length: entries.length, entries: has('no-entries') ? [] : [entry] };
  return { output: { first }, riding };
}

async function handIn(
  item: Item,
  { result, lost }: { readonly result: Result; readonly lost: AbortSignal },
): Promise<void> {
  const path = `/work-items/${item.id}`;
  const fenced = { lease_fence: fenceOf(item) };
  const fail = (error: string, members: JsonObject = {}) => {
    const named = has('no-class') ? {} : { error_class: 'Failure' };
    return postUntilAnswered(
      `${path}/fail`,
      () => ({ ...fenced, error, ...named, ...members }),
      lost,
    );
  };
  if (result instanceof Failure) {
    await fail(result.message, result.members);
    return;
  }
  const recordEach = async ({ entries }: JsonObject) => {
    const refused: unknown[] = [];
    for (const entry of entries as readonly { readonly identity: string }[]) {
      const members = { expected_length: 0, entries: [entry] };
      const answer = await postUntilAnswered(
        `${path}/steps`,
        () => ({ ...fenced, ...members }),
        lost,
      );
      if (answer?.status !== 200) refused.push(entry.identity);
    }
    return `refused: ${refused.join(', ')}`;
  };
  const { idempotency_key: own } = item;
  const labels = labelsOf.get(item.id);
  const key = own ?? (has('always-sends-keys') ? '' : undefined);
  const answer = await postUntilAnswered(
    `${path}/complete`,
    () => ({
      ...fenced,
      output: has('calls-again') ? { ...result.output, call: randomUUID() } : result.output,
      state_patch: {},
      ...(key !== undefined && !has('no-keys') && { idempotency_key: key }),
      ...(labels !== undefined && { labels }),
      ...result.riding,
    }),
    lost,
  );
  if (answer === null) return;
  const isRefused = answer.status === 400 || answer.status === 413;
  if (isRefused && !has('leaves-refused-outputs')) {
    const { error } = answer.body;
    const failed = await fail(String(error), result.riding);
    if (failed?.status === 400 && !has('keeps-refused-entries')) {
      await fail(await recordEach(result.riding), { final: true });
    }
  }
  if (answer.status === 404 && has('fails-after-404')) await fail('the item is gone');
}

function nameOf({ queue_type: type, payload }: Item): string {
  return type === 'function' ? payload.function : `${payload.module}.${payload.function}`;
}

function whenAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

interface Claim {
  readonly id: string;
  readonly repeated: boolean;
}

async function claim({ id, repeated }: Claim, signal?: AbortSignal): Promise<Answer> {
  return post(
    '/work-items/claim',
    {
      worker_id: has('changes-its-name') ? randomUUID() : workerId,
      queue_types: ['python_tool', 'function'],
      tools: has('claims-all-tools') ? ['*', ...FUNCTIONS] : [...Object.keys(TOOLS), ...FUNCTIONS],
      wait_ms: signal === undefined ? 0 : 20_000,
      max_items: 4,
      claim_id: id,
      ...(repeated && { repeated }),
    },
    signal,
  );
}

const MEMBERS = new Set(['claimed', 'work_item', 'work_items']);

function readItems({ body }: Answer): readonly Item[] {
  if (has('strict') && Object.keys(body).some((name) => !MEMBERS.has(name))) {
    throw new Error(`unknown members: ${Object.keys(body).join(', ')}`);
  }
  const { work_items: several, work_item: one } = body;
  const items = (Array.isArray(several) ? several : [one].filter(Boolean)) as readonly Item[];
  return has('first-of-several') ? items.slice(0, 1) : items;
}

/** The runtime may have leased items to a claim that was left. */
async function giveBack({ id }: Claim): Promise<void> {
  if (has('leaves-claims')) return;
  for (const item of readItems(await claim({ id, repeated: true }))) {
    const path = `/work-items/${item.id}/release`;
    await postUntilAnswered(path, () => ({ lease_fence: item.lease_fence }), deadline.signal);
  }
}

process.on('SIGTERM', () => {
  if (has('ignores-sigterm')) return;
  if (has('drops-its-work')) process.exit(0);
  stopping.abort();
  if (!has('waits-forever')) setTimeout(() => deadline.abort(), DEADLINE_MS).unref();
});
// Nothing else keeps it running while all its work waits.
const alive = setInterval(() => undefined, 60_000);

let asked: Claim = { id: randomUUID(), repeated: false };
for (let failures = 0; !stopping.signal.aborted;) {
  const askedAt = performance.now();
  const answer = await claim(asked, stopping.signal);
  if (answer.status === 200) {
    failures = 0;
    const items = readItems(answer);
    for (const item of items) {
      const work = workOn(item).finally(() => busy.delete(work));
      busy.add(work);
    }
    if (has('one-item-only') && items.length > 0) await delay(3_600_000);
    asked = { id: randomUUID(), repeated: false };
    const isEarly = items.length === 0 && performance.now() - askedAt < 10_000;
    if (isEarly && !has('no-pause-between-claims')) await rest(1, answer);
  } else if (answer.status === 0) {
    if (stopping.signal.aborted) await giveBack(asked);
    else await rest((failures += 1), answer);
    asked = { id: has('new-claim-ids') ? randomUUID() : asked.id, repeated: true };
  } else if (!has('hammers-when-refused')) {
    process.stderr.write(`refused: ${answer.status}\n`);
    process.exit(1);
  }
}
await Promise.all(busy);
if (has('claims-as-it-stops')) await claim({ id: randomUUID(), repeated: false });
clearInterval(alive);
process.exit(has('ends-with-143') ? 143 : 0);
