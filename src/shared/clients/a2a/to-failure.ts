import { A2AError, A2A_ERROR_CODE, isJsonRpcError, isRestError } from '@a2a-js/sdk/errors';

import { AgentFailure, type AgentErrorClass } from '../../domain/a2a/agent-failure.ts';
import { HttpError, type HttpErrorCode } from '../../domain/http-error.ts';
import { AuthorizationError } from '../authorized-fetch.ts';

/** Turns any error of the SDK or the network into a failure with our own message. */
export function toFailure(error: unknown, name: string): AgentFailure {
  for (const cause of causes(error)) {
    const known = judge(cause, name);
    if (known !== null) return known;
  }
  const message = `agent ${name} gave an answer that is not of the protocol`;
  return new AgentFailure(message, { errorClass: 'invalid_response', cause: error });
}

function judge(error: unknown, name: string): AgentFailure | null {
  if (error instanceof AgentFailure) return error;
  if (error instanceof HttpError) {
    const { message } = error;
    return new AgentFailure(`agent ${name}: ${message}`, { ...ofHttp(error.code), cause: error });
  }
  if (error instanceof AuthorizationError) {
    const { message, isFinal } = error;
    return new AgentFailure(`agent ${name}: ${message}`, { errorClass: 'unauthorized', isFinal });
  }
  if (error instanceof DOMException && /^(Abort|Timeout)Error$/.test(error.name)) {
    return new AgentFailure(`agent ${name} did not answer in time`, { errorClass: 'timeout' });
  }
  if (!(error instanceof A2AError)) return null;
  const [means, errorClass, isFinal] = ofProtocol(error);
  return new AgentFailure(`agent ${name} ${means}`, { errorClass, isFinal, cause: error });
}

function ofHttp(code: HttpErrorCode): {
  readonly errorClass: AgentErrorClass;
  readonly isFinal: boolean;
} {
  switch (code) {
    case 'bad_url':
    case 'refused_address':
    case 'too_many_redirects':
    case 'refused_redirect':
      return { errorClass: 'refused_address', isFinal: true };
    case 'timed_out':
    case 'aborted':
      return { errorClass: 'timeout', isFinal: false };
    case 'too_large':
      return { errorClass: 'too_large', isFinal: true };
    case 'encoded':
      return { errorClass: 'invalid_response', isFinal: true };
    case 'unreachable':
      return { errorClass: 'unreachable', isFinal: false };
  }
}

function ofProtocol(error: A2AError): Meaning {
  const known = MEANINGS.get(error.name);
  if (known !== undefined) return known;
  if (isRestError(error)) {
    const isServers = error.statusCode >= 500;
    return [`answered ${error.statusCode}`, isServers ? 'http_5xx' : 'http_4xx', !isServers];
  }
  const code = isJsonRpcError(error) ? error.envelopeCode : A2A_ERROR_CODE.INTERNAL_ERROR;
  const isInternal = code === A2A_ERROR_CODE.INTERNAL_ERROR;
  return [`answered with the error ${code}`, isInternal ? 'http_5xx' : 'error', false];
}

/** The message of an error, its class, and whether it is final. */
type Meaning = readonly [string, AgentErrorClass, boolean];

/** By the names that the SDK gives them, over every transport. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['TaskNotFoundError', ['does not know the task', 'invalid_input', true]],
  ['RequestMalformedError', ['refused the request', 'invalid_input', true]],
  ['ContentTypeNotSupportedError', ['does not take such content', 'invalid_input', true]],
  ['UnsupportedOperationError', ['does not support this', 'unsupported', true]],
  ['VersionNotSupportedError', ['speaks no supported version', 'unsupported', true]],
  ['ExtensionSupportRequiredError', ['requires an extension', 'unsupported', true]],
]);

function* causes(error: unknown): Generator<unknown> {
  for (let at = error, depth = 0; at !== undefined && depth < 8; depth += 1) {
    yield at;
    at = at instanceof Error ? at.cause : undefined;
  }
}
