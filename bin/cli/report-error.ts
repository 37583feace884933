import type { ApiError, ApiUnreachableError } from '../../src/shared/clients/svc/request.ts';
import { asTyped } from './as-typed.ts';
import { CREATE_TOKEN } from './profiles/create-token.ts';
import { DEFAULT_URL } from './default-url.ts';
import { CliError, EXIT } from './exit-code.ts';
import { showText } from './output.ts';

/**
 * Writes one line on stderr with the error and the next step, and returns the exit code. It
 * distinguishes errors by name, so that this file loads none of the modules that throw them.
 */
export function reportError(error: unknown): number {
  if (error instanceof CliError) return report(error.message, error.exitCode);
  if (!(error instanceof Error)) return report(String(error), EXIT.failure);
  switch (error.name) {
    case 'ApiError':
      return reportAnswer(error as ApiError);
    case 'ForeignServiceError':
      return report(`${error.message}; check --url or SVC_URL`, EXIT.failure);
    case 'ApiUnreachableError':
      return report(adviseUnreachable(error as ApiUnreachableError), EXIT.failure);
    case 'ConfigError':
      return report(error.message.replaceAll('\n', '\nerror: '), EXIT.usage);
    case 'SvcError':
    case 'StartError':
    case 'StoreOpenError':
    case 'StoreUnavailableError':
    case 'MigrationError':
    case 'SchemaError':
    case 'PoolerError':
      return report(error.message, EXIT.failure);
    default:
      // Not foreseen, so it is a bug, and the stack is what helps to mend it.
      return report(`unexpected: ${error.stack ?? error.message}`, EXIT.failure);
  }
}

function report(message: string, exitCode: number): number {
  process.stderr.write(`error: ${showText(asTyped(message))}\n`);
  return exitCode;
}

function reportAnswer(error: ApiError): number {
  if (error.status === 401) {
    return report(
      `${error.message}: give a valid token with --token or SVC_TOKEN, or keep one with: svc login; where its database is, create one with: ${CREATE_TOKEN}`,
      EXIT.unauthenticated,
    );
  }
  if (error.status === 403 && error.message.startsWith('insufficient role')) {
    const advice = [error.hint, ADVICE_ON_ROLE].filter((one) => one !== null).join(', or ');
    return report(`${error.message}: ${advice}`, EXIT.failure);
  }
  if (error.status === 404) return report(adviseMissing(error.message), EXIT.notFound);
  return report(error.message, EXIT.failure);
}

const ADVICE_ON_ROLE = `give a token of such a role with --token or SVC_TOKEN (create one with: ${CREATE_TOKEN})`;

/** Commands that list what an id may be of, by the word that names it in `not found: …`. */
const LISTS: Readonly<Record<string, string>> = {
  agent: 'svc agent list',
  execution: 'svc execution list',
  schedule: 'svc schedule list',
  tenant: 'svc tenant list',
  webhook: 'svc webhook list',
  workflow: 'svc workflow list',
};

function adviseMissing(message: string): string {
  if (message.startsWith('not found: route '))
    return `${message}; check --url or SVC_URL, and that the runtime is not older than this svc`;
  const [, thing = ''] = /^not found: (?:node \S+ of )?([a-z]+) /.exec(message) ?? [];
  const list = LISTS[thing];
  return list === undefined ? message : `${message}; list them with: ${list}`;
}

function adviseUnreachable(error: ApiUnreachableError): string {
  if (error.code === 'ECONNREFUSED') {
    return `connection refused: no runtime listens at ${error.url}; ${adviseAddress(error.url)}`;
  }
  if (error.code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return `no answer from ${error.url}: no TLS is spoken there; check the port, or use http:// in --url or SVC_URL`;
  }
  if (UNTRUSTED.has(error.code ?? '')) {
    return `no answer from ${error.url}: its certificate is not trusted (${error.code}); name the file of the certificate, or of its authority, in NODE_EXTRA_CA_CERTS`;
  }
  return `${error.message}; check --url or SVC_URL`;
}

/** A runtime is started on this machine alone, and at the port that was asked. */
function adviseAddress(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const correct = 'correct --url, SVC_URL or the context';
  // A runtime that is started here speaks no TLS.
  if (!LOCAL.includes(hostname) || protocol === 'https:')
    return `${correct}, or see why it is not running there`;
  const isDefault = port === new URL(DEFAULT_URL).port;
  return `${correct}, or start one with: svc dev${isDefault ? '' : ` --port ${port || '80'}`}`;
}

const LOCAL = ['127.0.0.1', '[::1]', 'localhost'];

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
