import { createSvcClient, type SvcClient } from '../../src/shared/clients/svc/client.ts';
import {
  createManagementClient,
  type ManagementClient,
} from '../../src/shared/clients/svc/management-client.ts';
import type { ApiTarget } from '../../src/shared/clients/svc/request.ts';
import {
  createResourceClient,
  type ResourceClient,
} from '../../src/shared/clients/svc/resource-client.ts';
import { parseDuration } from '../../src/shared/domain/workflow/parse/parse-duration.ts';
import { DEFAULT_URL } from './default-url.ts';
import { usageError } from './exit-code.ts';
import type { OutputFormat } from './output.ts';

/** Options that every client command has. */
export interface ClientOptions {
  readonly url: string;
  readonly token?: string;
  readonly output: OutputFormat;
}

export function connectClient(options: ClientOptions): SvcClient {
  return createSvcClient(apiTarget(options));
}

/** The same for the requests about schedules and webhooks. */
export function connectManagement(options: ClientOptions): ManagementClient {
  return createManagementClient(apiTarget(options));
}

/** The same for the requests about agents, tenants and artifacts. */
export function connectResources(options: ClientOptions): ResourceClient {
  return createResourceClient(apiTarget(options));
}

export function apiTarget(options: ClientOptions): ApiTarget {
  const target = { url: readUrl(options.url), token: readToken(options.token) };
  const given = process.env[REQUEST_TIMEOUT] ?? '';
  return given === '' ? target : { ...target, answerMsMax: readTimeout(given) };
}

const REQUEST_TIMEOUT = 'SVC_REQUEST_TIMEOUT';

function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0) return ms;
  throw usageError(`${REQUEST_TIMEOUT} must be a duration such as 10s, not "${text}"`);
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(`"${text}" is not a URL: expected one such as ${DEFAULT_URL}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** A token with a line end or other control character would be refused by fetch with no word why. */
function readToken(text: string | undefined): string | null {
  const token = text?.trim() ?? '';
  if (token === '') return null;
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError('the token (--token or SVC_TOKEN) contains spaces or invalid characters');
  }
  return token;
}
