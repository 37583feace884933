import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ValidateFunction } from 'ajv';

import { headerOf, type Exchange, type WireAnswer } from '../support/exchange.ts';
import type { FuzzOperation } from './operations.ts';
import type { RawShape } from './raw-shapes.ts';

/** A rule that an answer breaks, and how. */
export interface Verdict {
  readonly rule: string;
  readonly detail: string;
}

/** Statuses that Node's HTTP server or the router may answer on any route, undocumented. */
const ANYWHERE = [400, 401, 403, 404, 405, 408, 413, 414, 417, 431];
/** An error quotes the request, of which a head has at most 16 KiB, and escapes it. */
const ERROR_BYTES_MAX = 64 * 1024;

/** How messages begin, by status, according to the contract's table of errors. */
const MESSAGES: Readonly<Record<number, RegExp>> = {
  400: /^bad request: \S/,
  401: /^invalid or expired token$/,
  402: /^memory quota exceeded: \S/,
  403: /^(insufficient role — .* required|forbidden: |tenant |memory is disabled: )/,
  404: /^not found: \S/,
  405: /^method not allowed: \S/,
  408: /^request timeout: \S/,
  409: /^conflict: \S/,
  413: /^payload too large: \S/,
  415: /^unsupported media type: /,
  417: /^expectation failed: /,
  429: /^(limit exceeded|rate limited): \S/,
  431: /^bad request: \S/,
  502: /^bad gateway: \S/,
  503: /^unavailable: \S/,
};

/**
 * Details of the implementation that no answer may contain. Settings contain the address of the
 * database, with the password masked.
 */
const INSIDE =
  /node_modules|\n\s+at |\.ts:\d+|SQLITE_|sqlite3|postgres(ql)?:\/\/(?!\S*\*\*\*)\w|pg_catalog|duplicate key value|violates .* constraint|invalid input syntax|syntax error at or near|Cannot read prop|is not a function|is not iterable|Maximum call stack|undefined is not|heap out of memory|ZodError|SlonikError/;

/** An internal error of JSON-RPC. */
const RPC_INTERNAL = /"code":\s*-32603\b/;

/** Judges the answer to a request for a route. */
export function judgeAnswer(
  answer: WireAnswer,
  operation: FuzzOperation,
  method: string,
): readonly Verdict[] {
  const { status } = answer;
  const documented = operation.replies.has(status);
  const verdicts = [...judgeAnyAnswer(answer, method)];
  if (status >= 500 && !(status === 502 && documented)) {
    verdicts.push({ rule: 'no 5xx', detail: `${status} ${answer.body.toString().slice(0, 500)}` });
  } else if (!documented && !ANYWHERE.includes(status) && method === operation.method) {
    verdicts.push({ rule: 'the status is documented', detail: `${status} of ${operation.name}` });
  }
  if (operation.protocol === 'json-rpc' && RPC_INTERNAL.test(answer.body.toString())) {
    verdicts.push({ rule: 'no 5xx', detail: answer.body.toString().slice(0, 500) });
  }
  const schema = operation.replies.get(status);
  if (schema !== undefined && schema !== null && method === operation.method && isJson(answer)) {
    const problem = misfit(operation, status, answer);
    if (problem !== null)
      verdicts.push({ rule: 'the answer has its documented form', detail: problem });
  }
  return verdicts;
}

/** Judges the answers to bytes that are not one plain request. */
export function judgeRaw(got: Exchange, shape: RawShape): readonly Verdict[] {
  const verdicts = got.answers.flatMap((answer) => judgeAnyAnswer(answer, 'GET'));
  if (got.end === 'reset') verdicts.push({ rule: 'the connection is not reset', detail: '' });
  if (got.end === 'silent')
    verdicts.push({ rule: 'the connection is closed', detail: 'still open' });
  if (got.rest.length > 0) {
    verdicts.push({ rule: 'only answers come', detail: got.rest.toString('latin1').slice(0, 200) });
  }
  const statuses = got.answers.map(({ status }) => status);
  const { expected } = shape;
  const fits =
    expected.length === statuses.length &&
    expected.every((allowed, index) => allowed.includes(statuses[index] ?? 0));
  if (!fits) {
    const detail = `${statuses.slice(0, 10).join() || 'none'} in place of ${expected.slice(0, 10).join(' then ')}`;
    verdicts.push({ rule: 'the shape has its answer', detail });
  }
  return verdicts;
}

function judgeAnyAnswer(answer: WireAnswer, method: string): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const add = (rule: string, detail: string): void => void verdicts.push({ rule, detail });
  const { status, body } = answer;
  const text = body.toString();
  const isStream = headerOf(answer, 'content-type')?.startsWith('text/event-stream') === true;
  if (!answer.whole && method !== 'HEAD' && !isStream)
    add('the answer is whole', `${status}, ${body.length} bytes`);
  if (headerOf(answer, 'x-content-type-options') !== 'nosniff')
    add('nosniff is said', String(status));
  if (headerOf(answer, 'cache-control') === undefined) add('caching is ruled', String(status));
  const inside = INSIDE.exec(text);
  if (inside !== null) add('no answer shows internal details', text.slice(0, 500));
  if (answer.headers.some(([name]) => /^x-(injected|powered-by)$/.test(name))) {
    add('no header is injected', JSON.stringify(answer.headers));
  }
  if (status >= 400 && method !== 'HEAD') {
    const problem = findErrorProblem(answer, text);
    if (problem !== null) add('an error has its form', `${status}: ${problem}`);
  }
  return verdicts;
}

function findErrorProblem(answer: WireAnswer, text: string): string | null {
  const { status, body } = answer;
  if (headerOf(answer, 'content-type')?.startsWith('application/json') !== true)
    return 'is no JSON';
  if (body.length > ERROR_BYTES_MAX) return `is ${body.length} bytes long`;
  const parsed = parse(text);
  if (typeof parsed !== 'object' || parsed === null)
    return `is no JSON object: ${text.slice(0, 200)}`;
  const { error, reason, jsonrpc } = parsed as Readonly<Record<string, unknown>>;
  // The two other forms: refusals of the worker protocol, and JSON-RPC.
  if (status === 409 && error === undefined && typeof reason === 'string') return null;
  if (jsonrpc === '2.0' && isRpcError(error)) return null;
  if (typeof error !== 'string') return `has no message: ${text.slice(0, 200)}`;
  const known = MESSAGES[status];
  if (status >= 500 && known === undefined) return null;
  return known?.test(error) === true ? null : `does not begin as it should: ${error.slice(0, 200)}`;
}

function isRpcError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return Number.isInteger(code) && typeof message === 'string';
}

function isJson(answer: WireAnswer): boolean {
  return headerOf(answer, 'content-type')?.startsWith('application/json') === true;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateFormats: false });
addFormats.default(ajv);
const compiled = new Map<string, ValidateFunction>();

function misfit(operation: FuzzOperation, status: number, answer: WireAnswer): string | null {
  const key = `${operation.name} ${status}`;
  const validate =
    compiled.get(key) ??
    ajv.compile(operation.replies.get(status) as Readonly<Record<string, unknown>>);
  compiled.set(key, validate);
  return validate(parse(answer.body.toString()))
    ? null
    : ajv.errorsText(validate.errors).slice(0, 500);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
