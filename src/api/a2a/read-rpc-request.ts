import { SvcError } from '../../shared/domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../shared/domain/json.ts';
import type { ApiContext } from '../context.ts';
import { isUnparsable } from '../middleware/body-errors.ts';
import type { ReadBody } from '../middleware/body.ts';

/** Codes of JSON-RPC 2.0 and of the Agent2Agent protocol for what is wrong before any method. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const CONTENT_TYPE_NOT_SUPPORTED = -32005;

export type RpcReading =
  | { readonly ok: true; readonly request: JsonObject }
  | { readonly ok: false; readonly status: number; readonly body: JsonObject };

/**
 * Reads the one request of JSON-RPC that the body carries. Clients of the protocol read errors in
 * its own shape, so every problem with the body has that shape. Only a body that is too large keeps
 * its HTTP status, which proxies on the way send too.
 */
export async function readRpcRequest(ctx: ApiContext, readBody: ReadBody): Promise<RpcReading> {
  try {
    const request = await readBody(ctx);
    const objection = objectTo(request);
    if (objection === null) return { ok: true, request };
    return refuse({ id: idOf(request), code: INVALID_REQUEST, message: objection });
  } catch (error) {
    if (!(error instanceof SvcError) || error.status >= 500) throw error;
    const id = idOf(ctx.state.body);
    const status = error.code === 'too_large' ? error.status : 200;
    return refuse({ id, status, code: codeOf(error), message: error.message });
  }
}

function objectTo({ jsonrpc, id = null, method }: JsonObject): string | null {
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (typeof method !== 'string' || method === '') return 'method must be the name of a method';
  if (id === null || typeof id === 'string' || Number.isSafeInteger(id)) return null;
  return 'id must be text or a whole number';
}

function codeOf(error: SvcError): number {
  if (error.code === 'unsupported_media_type') return CONTENT_TYPE_NOT_SUPPORTED;
  return isUnparsable(error) ? PARSE_ERROR : INVALID_REQUEST;
}

/** Null where none can be read, as JSON-RPC has it. */
export function idOf(body: unknown): string | number | null {
  if (!isJsonObject(body)) return null;
  const { id } = body;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null;
}

function refuse(answer: {
  readonly id: string | number | null;
  readonly status?: number;
  readonly code: number;
  readonly message: string;
}): RpcReading {
  const { id, status = 200, code, message } = answer;
  return { ok: false, status, body: { jsonrpc: '2.0', id, error: { code, message } } };
}
