import { isJsonObject, type JsonObject } from '../../json.ts';
import { CONNECTION_HEADERS, HEADER_NAME } from '../../tools/http-tool.ts';
import type { AuthPart } from './parts.ts';

/** A part that names an address and how to log in there. */
interface Entry {
  readonly fields: JsonObject;
  problem(field: string, message: string): void;
  text(field: string): string | null;
}

/** The address of somebody else; null: there is none, or it is one that would never be called. */
export function readAddress(entry: Entry, field: string): string | null {
  const value = entry.text(field);
  if (value === null) {
    if ((entry.fields[field] ?? '') === '') entry.problem(field, `missing ${field}`);
    return null;
  }
  const problem = findAddressProblem(value);
  if (problem !== null) entry.problem(field, problem);
  return problem === null ? value : null;
}

const AUTH_TYPES = ['none', 'bearer', 'api_key', 'oauth2'] as const;

/** Null: without credentials, or reported. */
export function readAuth(entry: Entry): AuthPart | null {
  const value = entry.fields['auth'] ?? null;
  if (value === null) return null;
  if (!isJsonObject(value)) {
    entry.problem('auth', 'must be an object with its type');
    return null;
  }
  const read = (field: string, find: (text: string) => string | null): string => {
    const text = value[field] ?? null;
    if (typeof text !== 'string' || text === '') {
      entry.problem('auth', `missing ${field}`);
      return '';
    }
    const problem = find(text);
    if (problem !== null) entry.problem('auth', `${field} ${problem}`);
    return text;
  };
  switch (AUTH_TYPES.find((type) => type === value['type'])) {
    case 'none':
      return null;
    case 'bearer':
      return { type: 'bearer', tokenEnv: read('token_env', findSecretProblem) };
    case 'api_key':
      return {
        type: 'api_key',
        header: read('header', findHeaderProblem),
        keyEnv: read('key_env', findSecretProblem),
      };
    case 'oauth2':
      return {
        type: 'oauth2',
        clientIdEnv: read('client_id_env', findSecretProblem),
        clientSecretEnv: read('client_secret_env', findSecretProblem),
        tokenUrl: read('token_url', findAddressProblem),
      };
    case undefined:
      entry.problem('auth', `type must be one of ${AUTH_TYPES.join(', ')}`);
      return null;
  }
}

/** Why an address would never be called; null: it may be. */
export function findAddressProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return 'must be an absolute http or https URL';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not hold credentials: name secrets in auth';
  }
  return text.length > URL_CHARACTERS_MAX ? `is longer than ${URL_CHARACTERS_MAX}` : null;
}

function findSecretProblem(name: string): string | null {
  return SECRET_NAME.test(name) ? null : 'must be the name of an environment variable';
}

function findHeaderProblem(name: string): string | null {
  if (!HEADER_NAME.test(name)) return 'is not the name of a header';
  return CONNECTION_HEADERS.test(name) ? `${name} is set by the runtime alone` : null;
}

/** The longest sent value, in characters; see `outgoing-url.ts`. */
const URL_CHARACTERS_MAX = 2048;
const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
