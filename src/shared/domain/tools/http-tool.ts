import { parseMapping, type Mapping } from '../expression/mapping.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { parseDuration } from '../workflow/parse/parse-duration.ts';
import { pointerTo } from '../workflow/problem.ts';
import { parseBody, type BodyTemplate } from './body-template.ts';
import { parseTemplate, type Template } from './template.ts';
import { parseUrlTemplate, type UrlTemplate } from './url-template.ts';

/** A call over HTTP, with places for values and secrets. */
export interface HttpTool {
  readonly method: HttpMethod;
  readonly url: UrlTemplate;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: Template])[];
  /** Null: the input as JSON where the method has a body. */
  readonly body: BodyTemplate | null;
  /** Transforms the answer; it sees `output` as `{status, headers, body}`. Null: the body. */
  readonly responseMapping: Mapping | null;
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
}

export type HttpMethod = (typeof METHODS)[number];

/** Reads the fields of a tool of kind `http`; what is wrong is reported by pointers below it. */
export function parseHttpTool(
  fields: JsonObject,
  problem: (pointer: string, message: string) => void,
): HttpTool | null {
  let failed = false;
  const report: Report = (pointer, message) => {
    failed = true;
    problem(pointer, message);
  };
  const given = readMethod(fields, report);
  const method = given ?? (isAbsent(fields['body']) ? 'GET' : 'POST');
  const url = readUrl(fields, report);
  const headers = readHeaders(fields, report);
  const body = readBody(fields, method, report);
  const responseMapping = readResponseMapping(fields, report);
  const timeoutMs = readTimeout(fields, report);
  const responseBytesMax = readBytesMax(fields, report);
  if (url === null || failed) return null;
  return { method, url, headers, body, responseMapping, timeoutMs, responseBytesMax };
}

export function hasBody(method: HttpMethod): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

type Report = (pointer: string, message: string) => void;

function readMethod(fields: JsonObject, report: Report): HttpMethod | null {
  const value = fields['method'] ?? null;
  if (value === null) return null;
  const wanted = typeof value === 'string' ? value.toUpperCase() : '';
  const known = METHODS.find((method) => method === wanted);
  if (known === undefined) report('/method', `must be one of ${METHODS.join(', ')}`);
  return known ?? null;
}

function readUrl(fields: JsonObject, report: Report): UrlTemplate | null {
  const field = isAbsent(fields['reference']) ? 'url' : 'reference';
  const value = fields[field] ?? null;
  if (typeof value !== 'string' || value === '') return null;
  const parsed = parseUrlTemplate(value);
  if (parsed.ok) return parsed.url;
  report(pointerTo(field), parsed.message);
  return null;
}

function readHeaders(fields: JsonObject, report: Report): HttpTool['headers'] {
  const raw = fields['headers'] ?? {};
  if (!isJsonObject(raw)) {
    report('/headers', 'must be an object of texts by header name');
    return [];
  }
  const seen = new Set<string>();
  return Object.entries(raw).flatMap(([name, value]) => {
    const pointer = `/headers${pointerTo(name)}`;
    const lower = name.toLowerCase();
    if (seen.has(lower)) report(pointer, 'is given twice: case makes no other header');
    seen.add(lower);
    if (!HEADER_NAME.test(name)) report(pointer, 'is not the name of a header');
    else if (CONNECTION_HEADERS.test(lower)) report(pointer, 'is set by the runtime alone');
    const template = readHeader(value, pointer, report);
    return template === null ? [] : [[lower, template] as const];
  });
}

function readHeader(value: JsonValue, pointer: string, report: Report): Template | null {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return [{ kind: 'text', text: String(value) }];
  }
  if (typeof value !== 'string') {
    report(pointer, 'must be text, such as "Bearer ${secret:SVC_SECRET_SHOP}"');
    return null;
  }
  const mapping = parseMapping(value);
  if (mapping.ok && mapping.mapping.kind === 'path') {
    return [{ kind: 'value', source: value, mapping: mapping.mapping }];
  }
  const parsed = parseTemplate(value);
  if (!parsed.ok) report(pointer, parsed.message);
  else if (UNSENDABLE.test(value)) report(pointer, 'has characters that a header cannot carry');
  return parsed.ok ? parsed.template : null;
}

function readBody(fields: JsonObject, method: HttpMethod, report: Report): BodyTemplate | null {
  const raw = fields['body'] ?? null;
  if (raw === null) return null;
  if (method === 'GET' || method === 'HEAD') {
    report('/body', `is not sent with ${method}: use POST, PUT or PATCH`);
    return null;
  }
  const parsed = parseBody(raw);
  if (parsed.ok) return parsed.body;
  report(`/body${parsed.pointer}`, parsed.message);
  return null;
}

function readResponseMapping(fields: JsonObject, report: Report): Mapping | null {
  const field = isAbsent(fields['response_mapping']) ? 'output_mapping' : 'response_mapping';
  const raw = fields[field] ?? null;
  if (raw === null) return null;
  const parsed = parseMapping(raw);
  if (parsed.ok) return parsed.mapping;
  report(`/${field}${parsed.pointer}`, parsed.message);
  return null;
}

function readTimeout(fields: JsonObject, report: Report): number {
  const raw = fields['timeout_secs'] ?? null;
  if (raw === null) return TIMEOUT_MS;
  const ms = parseDuration(raw);
  if (ms !== null && ms > 0 && ms <= TIMEOUT_MS_MAX) return ms;
  report('/timeout_secs', 'must be seconds above 0 and up to 3600, or text like "30s"');
  return TIMEOUT_MS;
}

function readBytesMax(fields: JsonObject, report: Report): number {
  const raw = fields['response_bytes_max'] ?? null;
  if (raw === null) return RESPONSE_BYTES;
  const fits = typeof raw === 'number' && Number.isInteger(raw) && raw >= 1;
  if (fits && raw <= RESPONSE_BYTES_MAX) return raw;
  report('/response_bytes_max', `must be a whole number from 1 to ${RESPONSE_BYTES_MAX}`);
  return RESPONSE_BYTES;
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Headers that frame a message or describe the connection cannot be set. */
export const CONNECTION_HEADERS =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i;
/** Field values of RFC 9110 without obsolete bytes. */
export const UNSENDABLE = /[^\t\x20-\x7e]/;
const TIMEOUT_MS = 30_000;
const TIMEOUT_MS_MAX = 3_600_000;
const RESPONSE_BYTES = 1024 * 1024;
/** An output must fit where state fits. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;
