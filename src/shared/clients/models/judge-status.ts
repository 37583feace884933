import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ModelErrorClass, ModelFailure } from '../../ports/models.ts';
import type { ProviderAccess } from './provider-access.ts';
import { readRetryAfter, readSpan } from './retry-after.ts';

/**
 * The failure for a status other than 200. It reads only the code of the body, and reports only
 * known codes: the rest of the body may quote the key or the prompt.
 */
export async function judgeStatus(
  response: Response,
  given: { readonly access: ProviderAccess; readonly now: number },
): Promise<Omit<ModelFailure, 'ok'>> {
  const { access, now } = given;
  const { status, headers } = response;
  const details = await readDetails(response);
  const known = KNOWN_CODES.get(details.code ?? '');
  const told = known === undefined ? '' : `: ${known.means}`;
  const error = `provider ${access.provider} answered ${status}${told}`;
  if (status === 429 && known?.isFinal !== true) {
    const retryAfterMs = readRetryAfter(headers, now) ?? details.retryAfterMs;
    return {
      error,
      errorClass: 'rate_limited',
      final: false,
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  }
  if (status === 401 || status === 403) {
    const hint = access.keyless === null ? '' : ` (${access.keyless})`;
    return { error: error + hint, errorClass: 'unauthorized', final: true };
  }
  if (known?.errorClass !== undefined) {
    return { error, errorClass: known.errorClass, final: known.isFinal };
  }
  if (status >= 300 && status < 400) {
    const message = `${error}: redirects are not followed, the base URL has to be the right one`;
    return { error: message, errorClass: 'refused_address', final: true };
  }
  if (status === 408) return { error, errorClass: 'timeout', final: false };
  if (status >= 500) return { error, errorClass: 'http_5xx', final: false };
  return { error, errorClass: 'http_4xx', final: ![409, 425].includes(status) };
}

interface KnownCode {
  readonly means: string;
  readonly isFinal: boolean;
  /** Absent: the status decides. */
  readonly errorClass?: ModelErrorClass;
}

/** Codes of errors in the providers' documentation, for which one can do something. */
const KNOWN_CODES: ReadonlyMap<string, KnownCode> = new Map<string, KnownCode>([
  ['model_not_found', { means: 'no such model', isFinal: true }],
  ['context_length_exceeded', { means: 'the prompt is too long', isFinal: true }],
  ['request_too_large', { means: 'the request is too large', isFinal: true }],
  ['invalid_api_key', { means: 'the key is not valid', isFinal: true }],
  ['authentication_error', { means: 'the key is not valid', isFinal: true }],
  ['permission_error', { means: 'the key may not do this', isFinal: true }],
  ['PERMISSION_DENIED', { means: 'the key may not do this', isFinal: true }],
  [
    'insufficient_quota',
    { means: 'the account has no quota left', isFinal: true, errorClass: 'rate_limited' },
  ],
  [
    'content_filter',
    { means: 'the prompt was refused', isFinal: true, errorClass: 'content_filter' },
  ],
  [
    'content_policy_violation',
    { means: 'the prompt was refused', isFinal: true, errorClass: 'content_filter' },
  ],
  ['unsupported_parameter', { means: 'the model lacks a parameter', isFinal: true }],
  ['overloaded_error', { means: 'overloaded', isFinal: false, errorClass: 'http_5xx' }],
]);

interface Details {
  readonly code: string | null;
  /** As Google says it, in the body. */
  readonly retryAfterMs: number | null;
}

async function readDetails(response: Response): Promise<Details> {
  const error = await readError(response);
  const codes = [error['code'], error['type'], error['status']];
  const code = codes.find((text) => typeof text === 'string' && KNOWN_CODES.has(text));
  const details = Array.isArray(error['details']) ? error['details'] : [];
  const delays = details.map((detail) => (isJsonObject(detail) ? detail['retryDelay'] : null));
  const delay = delays.find((text) => typeof text === 'string');
  return {
    code: typeof code === 'string' ? code : null,
    retryAfterMs: readSpan(typeof delay === 'string' ? delay : null),
  };
}

/** The `error` of the body; an empty object where there is none. */
async function readError(response: Response): Promise<JsonObject> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > ERROR_BYTES_MAX) return {};
      chunks.push(chunk);
    }
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    // Google wraps it in a list where the answer would have been streamed.
    const [first] = Array.isArray(body) ? (body as readonly unknown[]) : [body];
    const error = isJsonObject(first) ? first['error'] : null;
    return isJsonObject(error) ? error : {};
  } catch {
    return {};
  }
}

const ERROR_BYTES_MAX = 64 * 1024;
