import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import test from 'ava';

import { createAuthority } from '../support/servers/certificate-authority.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { startProgram } from '../support/processes.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* The two methods besides stored tokens, from their configuration to an answer. */

const folder = createFolder();
test.after.always(() => folder.remove());

function write(name: string, text: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
}

async function serve(env: Readonly<Record<string, string>>) {
  const database = await createTestDatabase('sqlite');
  const port = await freePort();
  const args = ['serve', '--port', String(port), '--database-url', database.url];
  const program = await startProgram({
    entry: 'svc',
    args,
    env: { SVC_TELEMETRY_METRICS_PORT: 'off', ...env },
  });
  return {
    port,
    async end() {
      const code = await program.end('SIGTERM');
      await database.drop();
      return code;
    },
  };
}

test('a service with mtls speaks HTTPS and knows clients by their certificates', async (t) => {
  const authority = createAuthority('Test authority');
  const own = authority.issue({ subject: [['CN', 'svc']], addresses: [[127, 0, 0, 1]] });
  const client = authority.issue({ subject: [['CN', 'admin']] });
  const config = `
    [auth]
    method = "mtls"
    [auth.mtls.subjects]
    "CN=admin" = { role = "operator", tenant = "default" }`;
  const service = await serve({
    SVC_API_TLS_CERT_FILE: write('own.pem', own.certificate),
    SVC_API_TLS_KEY_FILE: write('own.key', own.key),
    SVC_API_TLS_CLIENT_CA_FILE: write('ca.pem', authority.certificate),
    SVC_AUTH_METHOD: 'mtls',
    SVC_AUTH_MTLS_SUBJECTS: '{"CN=admin": {"role": "operator", "tenant": "default"}}',
  });
  const shown = { cert: client.certificate, key: client.key };
  const ask = (path: string, with_: object) =>
    new Promise<number>((resolve, reject) => {
      const { port } = service;
      const options = { host: '127.0.0.1', port, path, ca: authority.certificate, agent: false };
      const sent = request({ ...options, ...with_ }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end();
    });
  await eventually(async () => t.is(await ask('/health', {}), 200));
  t.is(await ask('/tenants', shown), 200);
  t.is(await ask('/tenants', {}), 401);
  t.is(await service.end(), 0);
  // The same table from a file.
  const shownConfig = await runSvc(['config', 'show', '--config', write('svc.toml', config)], {
    cwd: folder.path,
  });
  t.regex(shownConfig.stdout, /auth\.mtls\.subjects +CN=admin → operator of default/);
});

test('a service with jwt accepts the tokens of its issuer, and no others', async (t) => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const service = await serve({
    SVC_AUTH_METHOD: 'jwt',
    SVC_AUTH_JWT_ISSUER: 'https://issuer.example',
    SVC_AUTH_JWT_AUDIENCE: 'svc',
    SVC_AUTH_JWT_PUBLIC_KEY_FILE: write('issuer.pem', pem),
  });
  const ask = async (path: string, token?: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const tokenOf = (role: string, { key = pair.privateKey, tenant = 'acme' } = {}) => {
    const claims = {
      iss: 'https://issuer.example',
      aud: 'svc',
      sub: 'ada',
      exp: Math.floor(Date.now() / 1000) + 60,
      role,
      tenant,
    };
    const content = [{ alg: 'ES256' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const input = { key, dsaEncoding: 'ieee-p1363' } as const;
    return `${content}.${sign('sha256', Buffer.from(content), input).toString('base64url')}`;
  };
  await eventually(async () => t.is(await ask('/health'), 200));
  t.is(await ask('/executions', tokenOf('viewer')), 403);
  const manager = tokenOf('operator', { tenant: 'default' });
  t.is(await ask('/tenants', manager, { id: 'acme', name: 'Acme' }), 201);
  t.is(await ask('/executions', tokenOf('viewer')), 200);
  t.is(await ask('/tokens', tokenOf('viewer')), 403);
  t.is(await ask('/tokens', tokenOf('operator')), 200);
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  t.is(await ask('/executions', tokenOf('operator', { key: stranger })), 401);
  t.is(await ask('/executions', `svc_${'x'.repeat(43)}`), 401);
  t.is(await service.end(), 0);
});

for (const [title, text] of [
  ['that is no key', 'hello'],
  ['with the wrong kind of key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
] as const) {
  test(`2: a key file ${title}`, async (t) => {
    const env = {
      SVC_AUTH_METHOD: 'jwt',
      SVC_AUTH_JWT_ISSUER: 'i',
      SVC_AUTH_JWT_AUDIENCE: 'a',
      SVC_AUTH_JWT_PUBLIC_KEY_FILE: write(`${title}.pem`, text),
      SVC_TELEMETRY_METRICS_PORT: 'off',
    };
    const args = ['serve', '--port', '0', '--database-url', join(folder.path, `${title}.db`)];
    const { code, stderr } = await runSvc(args, { cwd: folder.path, env });
    t.is(code, 2);
    t.regex(stderr, /^database: .*\nerror: auth\.jwt\.public_key_file: .*\.pem: /);
  });
}

for (const [args, program, database] of [
  [['serve', '--port', '0'], 'svc', 'guessed.db'],
  [['--port', '0'], 'svc-api', 'postgres://nobody@127.0.0.1:1/none'],
] as const) {
  test.serial(`2: ${program} with an API key that is guessed at once`, async (t) => {
    const env = { SVC_AUTH_API_KEY: 'a', SVC_DATABASE_URL: database };
    const { code, stderr } = await runSvc(args, { cwd: folder.path, env, program });
    t.is(code, 2);
    t.regex(
      stderr,
      /^error: auth\.api_key: is shorter than 24 characters; make one with "openssl rand -hex 32", or unset it and make a token with ".*svc.* token create --name NAME --role ROLE"\n$/,
    );
  });
}
