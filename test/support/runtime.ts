import { randomBytes } from 'node:crypto';

import { freePort } from './servers/ports.ts';
import { sendRequest, type HttpRequest, type Reply } from './http.ts';
import { startProgram, waitUntilReady, type Started } from './processes.ts';
import type { Entry } from './program-of.ts';
import { makeTenant, type TestTenant } from './tenant.ts';

/** A process of the service that serves the API. */
export interface Runtime extends Started {
  readonly url: string;
  /** An operator's token of the tenant `default`. */
  readonly apiKey: string;
  request<Body>(request: HttpRequest): Promise<Reply<Body>>;
  /** A new tenant: only its own workers get its work items. */
  newTenant(): Promise<TestTenant>;
  /** The lines that the process logged as errors. */
  errors(): readonly string[];
}

/** Starts a process with the API on a free loopback port, and waits until it is ready. */
export async function startRuntime(params: {
  readonly databaseUrl: string;
  readonly entry?: Entry;
  readonly port?: number;
  readonly apiKey?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly root?: string | undefined;
}): Promise<Runtime> {
  const { entry = 'svc', databaseUrl, env, root } = params;
  const port = params.port ?? (await freePort());
  const apiKey = params.apiKey ?? `key-${randomBytes(24).toString('base64url')}`;
  const started = await startProgram({
    entry,
    root,
    args: [
      ...(entry === 'svc' ? ['serve'] : []),
      '--port',
      String(port),
      '--database-url',
      databaseUrl,
    ],
    env: { SVC_AUTH_API_KEY: apiKey, SVC_TELEMETRY_METRICS_PORT: 'off', ...env },
  });
  const url = `http://127.0.0.1:${port}`;
  const request = <Body>(options: HttpRequest) =>
    sendRequest<Body>(url, { token: apiKey, ...options });
  await waitUntilReady(started, async () => {
    const { status } = await request({ path: '/ready' });
    if (status !== 200) throw new Error(`GET /ready answered ${status}`);
  });
  return {
    ...started,
    url,
    apiKey,
    request,
    newTenant: () => makeTenant({ request, tenantId: `t-${randomBytes(8).toString('hex')}` }),
    errors: () =>
      started
        .stdout()
        .split('\n')
        .filter((line) => /"level":"(error|fatal)"/.test(line)),
  };
}
