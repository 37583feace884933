import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import type { TestApi } from '../support/test-api.ts';

export interface AgentCall {
  readonly workflowId: string;
  /** Text and bytes are sent unchanged. */
  readonly body: JsonValue | Buffer;
  readonly version?: '1.0' | '0.3';
  readonly contentType?: string;
  /** Appends a slash to the address, as some clients do. */
  readonly slash?: boolean;
  readonly token?: string;
}

export interface RpcAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly result: JsonValue | undefined;
  readonly error: { readonly code: number; readonly message: string } | undefined;
}

/** Sends one body to an agent; a client of the SDK would correct it. */
export async function callAgent(api: TestApi, call: Partial<AgentCall>): Promise<RpcAnswer> {
  const { workflowId = '', body = {}, version = '1.0', contentType = 'application/json' } = call;
  const response = await fetch(`${api.url}/a2a/${workflowId}${call.slash === true ? '/' : ''}`, {
    method: 'POST',
    headers: {
      'content-type': contentType,
      authorization: `Bearer ${call.token ?? api.operatorToken}`,
      ...(version === '1.0' && { 'a2a-version': version }),
    },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as JsonObject;
  return {
    status: response.status,
    body: answer,
    result: answer['result'],
    error: answer['error'] as RpcAnswer['error'],
  };
}
