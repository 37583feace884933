import type { IncomingMessage } from 'node:http';

import type { CallKind } from './case-file.ts';
import type { ClaimRequest, Served } from './played-items.ts';

/** One call; several may travel in one request. */
export interface Part {
  readonly kind: CallKind;
  readonly itemId: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ReadRequest {
  readonly parts: readonly Part[];
  /** Null: the request claims nothing. */
  readonly claim:
    (ClaimRequest & { readonly waitMs: number; readonly wantsSeveral: boolean }) | null;
  readonly isTogether: boolean;
  /** The answer to a request that the runtime does not serve; null: it does. */
  readonly refusal: Served | null;
  /** The mistake that no case allows; null: none. */
  readonly fault: string | null;
}

const CALLS = ['heartbeat', 'complete', 'fail', 'release', 'steps', 'suspend', 'continue'] as const;

/** A plain runtime does not know these members of claims. */
const NOT_IN_CONTRACT = [
  'tools',
  'wait_ms',
  'max_items',
  'claim_id',
  'repeated',
  'last',
  'reports',
];
const CALLS_OF_CONTRACT: ReadonlySet<CallKind> = new Set([
  'claim',
  'heartbeat',
  'complete',
  'fail',
  'register',
]);

export async function readRequest(
  request: IncomingMessage,
  { token, isPlain }: { readonly token: string; readonly isPlain: boolean },
): Promise<ReadRequest> {
  const text = await readText(request);
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const sent = parseObject(text);
  const body = isPlain && pathname.endsWith('/claim') ? withoutMembers(sent) : sent;
  const parts = body === null ? [] : partsOf(request.method ?? '', pathname, body);
  const fault = findFault(request, { token, body, parts });
  const isKnown = !isPlain || parts.every(({ kind }) => CALLS_OF_CONTRACT.has(kind));
  const isTogether = pathname === '/work-items/report';
  if (!isKnown || (isPlain && isTogether)) {
    return { parts: [UNKNOWN], claim: null, isTogether, refusal: NO_ENDPOINT, fault };
  }
  return {
    parts: parts.length === 0 ? [UNKNOWN] : parts,
    claim: parts.at(-1)?.kind === 'claim' && body !== null ? readClaim(body) : null,
    isTogether,
    refusal: refusalOf(request, { token, isReadable: body !== null, parts }),
    fault,
  };
}

function partsOf(
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): readonly Part[] {
  const { reports, ...own } = body;
  const reported = Array.isArray(reports)
    ? reports.flatMap((report) => partOfReport(report, body['worker_id']))
    : [];
  if (method === 'POST' && path === '/work-items/claim') {
    return [...reported, { kind: 'claim', itemId: null, body: own }];
  }
  if (method === 'POST' && path === '/work-items/report') return reported;
  if (method === 'POST' && path === '/workflows') {
    return [{ kind: 'register', itemId: null, body }];
  }
  const [, itemId = null, call] = /^\/work-items\/([^/]+)\/(\w+)$/.exec(path) ?? [];
  if (method === 'GET' && call === 'journal') return [{ kind: 'journal', itemId, body: {} }];
  const kind = CALLS.find((name) => name === call);
  if (method !== 'POST' || kind === undefined) return [{ kind: 'unknown', itemId: null, body }];
  return [{ kind, itemId, body }];
}

function partOfReport(report: unknown, workerId: unknown): readonly Part[] {
  if (!isRecord(report)) return [];
  const { kind, work_item_id: itemId, ...own } = report;
  // The request names the worker for all of them.
  const body = { worker_id: workerId, ...own };
  const known = CALLS.find((name) => name === kind) ?? 'unknown';
  return [{ kind: known, itemId: typeof itemId === 'string' ? itemId : null, body }];
}

function readClaim(body: Readonly<Record<string, unknown>>): ReadRequest['claim'] {
  const { tools, max_items: itemsMax, claim_id: claimId, wait_ms: waitMs } = body;
  return {
    queueTypes: textsOf(body['queue_types']),
    tools: tools === undefined ? null : textsOf(tools),
    itemsMax: typeof itemsMax === 'number' ? itemsMax : 1,
    claimId: typeof claimId === 'string' ? claimId : null,
    isRepeated: body['repeated'] === true,
    waitMs: typeof waitMs === 'number' ? waitMs : 0,
    wantsSeveral: itemsMax !== undefined,
  };
}

function refusalOf(
  { headers }: IncomingMessage,
  given: {
    readonly token: string;
    readonly isReadable: boolean;
    readonly parts: readonly Part[];
  },
): Served | null {
  if (headers.authorization !== `Bearer ${given.token}`) {
    return { status: 401, body: { error: 'unauthorized: no valid token' } };
  }
  if (!given.isReadable)
    return { status: 400, body: { error: 'bad request: the body is no JSON' } };
  if (given.parts.some(({ kind }) => kind === 'unknown')) {
    return NO_ENDPOINT;
  }
  return null;
}

const UNKNOWN: Part = { kind: 'unknown', itemId: null, body: {} };
const NO_ENDPOINT = { status: 404, body: { error: 'not found: no such endpoint' } };

function withoutMembers(
  body: Readonly<Record<string, unknown>> | null,
): Readonly<Record<string, unknown>> | null {
  if (body === null) return null;
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => !NOT_IN_CONTRACT.includes(name)),
  );
}

function findFault(
  { headers, method, url }: IncomingMessage,
  given: {
    readonly token: string;
    readonly body: Readonly<Record<string, unknown>> | null;
    readonly parts: readonly Part[];
  },
): string | null {
  const what = `${method} ${url}`;
  if (headers.authorization !== `Bearer ${given.token}`) {
    return `${what} does not carry the token of SVC_TOKEN`;
  }
  if (given.body === null) return `the body of ${what} is no JSON object`;
  if (method === 'POST' && !(headers['content-type'] ?? '').startsWith('application/json')) {
    return `${what} does not say content-type: application/json`;
  }
  if (given.parts.some(({ kind }) => kind === 'unknown')) return `the protocol has no ${what}`;
  return null;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
