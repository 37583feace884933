import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

import { describeConfig } from '../../../src/shared/config/describe-config.ts';
import { loadConfig, type LoadedConfig } from '../../../src/shared/config/load.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svc-config-tools-'));
test.after.always(() => rmSync(cwd, { recursive: true }));

const FILE = `
[tools]
secrets = ["SVC_SECRET_*", "acme:ACME_*"]

[mcp]
stdio_commands = ["npx -y mcp-files"]

[mcp_servers.files]
command = ["mcp-files", "/my files"]
env = ["FILES_TOKEN"]
tenants = ["acme"]

[mcp_servers.search]
url = "https://search.example/mcp?key=k"
auth = { type = "bearer", token_env = "SEARCH_TOKEN" }
`;

test('a file gives patterns of secrets, commands and MCP servers', (t) => {
  const loaded = load({ file: FILE });
  if (!loaded.ok) return t.fail(loaded.problems.join('\n'));
  const { config, origins } = loaded;
  t.deepEqual(config.tools.secrets, ['SVC_SECRET_*', 'acme:ACME_*']);
  t.deepEqual(config.mcp.stdioCommands, ['npx -y mcp-files']);
  t.deepEqual(config.mcpServers, [
    {
      name: 'files',
      tenants: ['acme'],
      server: { transport: 'stdio', command: ['mcp-files', '/my files'], env: ['FILES_TOKEN'] },
    },
    {
      name: 'search',
      tenants: null,
      server: {
        transport: 'streamable_http',
        url: 'https://search.example/mcp?key=k',
        auth: { type: 'bearer', tokenEnv: 'SEARCH_TOKEN' },
      },
    },
  ]);
  const shown = new Map(describeConfig(config, origins).map(({ key, value }) => [key, value]));
  t.is(shown.get('tools.secrets'), 'SVC_SECRET_*; acme:ACME_*');
  t.regex(shown.get('mcp_servers') ?? '', /^files → mcp-files \/my files; search → https:/);
});

test('the environment gives lists by commas, and servers as JSON', (t) => {
  const loaded = load({
    env: {
      SVC_TOOLS_SECRETS: 'SVC_SECRET_*, SHOP_*',
      SVC_MCP_STDIO_COMMANDS: 'mcp-a --x,mcp-b',
      SVC_MCP_SERVERS: '{"old": {"transport": "http_sse", "url": "http://127.0.0.1:1/sse"}}',
    },
  });
  if (!loaded.ok) return t.fail(loaded.problems.join('\n'));
  t.deepEqual(loaded.config.tools.secrets, ['SVC_SECRET_*', 'SHOP_*']);
  t.deepEqual(loaded.config.mcp.stdioCommands, ['mcp-a --x', 'mcp-b']);
  t.like(loaded.config.mcpServers?.[0]?.server, { transport: 'http_sse', auth: null });
});

for (const file of [
  '[tools]\nsecrets = "SVC_SECRET_*"',
  '[tools]\nsecrets = ["SVC.SECRET"]',
  '[mcp]\nstdio_commands = [" "]',
  '[mcp_servers.a]\ncommand = "mcp-files /srv"',
  '[mcp_servers.a]\ncommand = []',
  '[mcp_servers.a]\ncommand = ["a"]\nurl = "http://a"',
  '[mcp_servers.a]\ncommand = ["a"]\nenv = ["A=b"]',
  '[mcp_servers.a]\nurl = "file:///a"',
  '[mcp_servers.a]\nurl = "http://a"\ntransport = "stdio"',
  '[mcp_servers.a]\nurl = "http://a"\nauth = { type = "bearer", token = "t" }',
  '[mcp_servers.a]\nurl = "http://a"\ntenants = ["No Tenant"]',
  '[mcp_servers]\n"a/b" = { url = "http://a" }',
]) {
  test(`refused: ${JSON.stringify(file)}`, (t) => {
    const loaded = load({ file });
    t.is(loaded.ok ? 0 : loaded.problems.length, 1);
    t.regex(loaded.ok ? '' : (loaded.problems[0] ?? ''), /found .*, expected (a list|tables)/);
  });
}

let files = 0;

function load(given: {
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
}): LoadedConfig {
  const configFile = join(cwd, `${files++}.toml`);
  writeFileSync(configFile, given.file ?? '');
  return loadConfig({ flags: {}, env: given.env ?? {}, configFile, cwd, mode: 'serve' });
}
