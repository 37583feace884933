import type { AuthPart, ToolPart, WorkflowParts } from '../workflow/parse/parts.ts';
import { pointerTo } from '../workflow/problem.ts';
import type { BodyTemplate, JsonTemplate } from './body-template.ts';
import { secretsIn } from './template.ts';

/** A secret that a definition names, and the part that does. */
export interface NamedSecret {
  readonly name: string;
  readonly pointer: string;
}

/** The secrets that tools, servers and agents of a definition name, each once for a part. */
export function secretsNamed(parts: WorkflowParts): readonly NamedSecret[] {
  const { tools, mcpServers, remoteAgents } = parts;
  return [
    ...tools.values().flatMap((tool) => place(namedByTool(tool), tool.pointer)),
    ...mcpServers
      .values()
      .flatMap(({ name, auth }) =>
        place(namedByAuth(auth), pointerTo('mcp_servers', name, 'auth')),
      ),
    ...remoteAgents
      .values()
      .flatMap(({ name, auth }) =>
        place(namedByAuth(auth), pointerTo('remote_agents', name, 'auth')),
      ),
  ];
}

function place(names: readonly string[], pointer: string): readonly NamedSecret[] {
  return [...new Set(names)].map((name) => ({ name, pointer }));
}

function namedByTool({ target }: ToolPart): readonly string[] {
  if (target.kind !== 'http') return [];
  const { url, headers, body } = target.http;
  const templates = [url.path, url.query ?? [], ...headers.map(([, value]) => value)];
  return [...templates.flatMap(secretsIn), ...namedByBody(body)];
}

function namedByBody(body: BodyTemplate | null): readonly string[] {
  if (body === null) return [];
  return body.kind === 'text' ? secretsIn(body.template) : namedByJson(body.value);
}

function namedByJson(value: JsonTemplate): readonly string[] {
  switch (value.kind) {
    case 'mapping':
      return [];
    case 'template':
      return secretsIn(value.template);
    case 'list':
      return value.items.flatMap(namedByJson);
    case 'object':
      return value.entries.flatMap(([, member]) => namedByJson(member));
  }
}

function namedByAuth(auth: AuthPart | null): readonly string[] {
  switch (auth?.type) {
    case undefined:
      return [];
    case 'bearer':
      return [auth.tokenEnv];
    case 'api_key':
      return [auth.keyEnv];
    case 'oauth2':
      return [auth.clientIdEnv, auth.clientSecretEnv];
  }
}
