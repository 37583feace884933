import type { AuthPart } from '../workflow/parse/parts.ts';
import type { AgentCard } from './agent-card.ts';

/**
 * How a registered card says to log in: `auth` with the names of secrets beside its type, as
 * `remote_agents` of a workflow has them. Null: without credentials.
 */
export function credentialsOf({ auth }: AgentCard): AuthPart | null {
  const text = (key: string): string | null => {
    const value = auth[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const [token, key, header] = [text('token_env'), text('key_env'), text('header')];
  if (auth.type === 'bearer_token' && token !== null) return { type: 'bearer', tokenEnv: token };
  if (auth.type === 'api_key' && key !== null) {
    return { type: 'api_key', header: header ?? 'X-API-Key', keyEnv: key };
  }
  const [id, secret, url] = [text('client_id_env'), text('client_secret_env'), text('token_url')];
  if (auth.type !== 'oauth2' || id === null || secret === null || url === null) return null;
  return { type: 'oauth2', clientIdEnv: id, clientSecretEnv: secret, tokenUrl: url };
}
