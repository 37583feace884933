import { randomBytes } from 'node:crypto';

import { createTestDatabase, type Dialect, type TestDatabase } from '../support/database.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { freePort } from '../support/servers/ports.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { startModelScript, type ModelScript } from './model-script.ts';
import type { Pair } from './pairs.ts';
import { readRecord, type Recorded } from './record.ts';
import { startSample, type SampleApp } from './sample-app.ts';

export const TENANT_OF_CAREFUL = 'careful';
const APPLICATION = 'sample';

export const APPLICATIONS = ['first', 'second', 'careful'] as const;
export type ApplicationName = (typeof APPLICATIONS)[number];

export interface Stage {
  readonly model: ModelScript;
  readonly record: Recorded;
  readonly webhook: Awaited<ReturnType<typeof startReceiver>>;
  /** Two replicas of one application: a default rejection after a few seconds. */
  readonly first: SampleApp;
  readonly second: SampleApp;
  /** Another application of another tenant: keeps no text, and approves after a second. */
  readonly careful: SampleApp;
  startApplication(name: ApplicationName): Promise<void>;
  runtime(): Runtime;
  /** A new runtime with an empty database at the same address. */
  openRuntime(dialect: Dialect): Promise<void>;
  /** The same database again. */
  reopenRuntime(): Promise<void>;
  closeRuntime(): Promise<void>;
  close(): Promise<void>;
}

/** One model, one address of runtimes, and three applications that live longer than each runtime. */
export async function openStage(pair: Pair, dialect: Dialect): Promise<Stage> {
  const port = await freePort();
  const apiKey = `key-${randomBytes(24).toString('base64url')}`;
  const places: { runtime: Runtime | null; database: TestDatabase | null } = {
    runtime: null,
    database: null,
  };
  const runtime = (): Runtime => {
    if (places.runtime === null) throw new Error('no runtime is open');
    return places.runtime;
  };
  const start = async (database: TestDatabase) => {
    places.runtime = await startRuntime({ databaseUrl: database.url, port, apiKey });
  };
  const openRuntime = async (store: Dialect) => {
    places.database = await createTestDatabase(store);
    await start(places.database);
    const body = { id: TENANT_OF_CAREFUL, name: TENANT_OF_CAREFUL };
    await runtime().request({ path: '/tenants', body });
  };
  await openRuntime(dialect);
  const [model, webhook] = await Promise.all([startModelScript(), startReceiver()]);
  const common = {
    'spring.svc.runtime-url': `http://127.0.0.1:${port}`,
    'spring.svc.api-token': apiKey,
    'spring.svc.approval.enabled': 'true',
    'spring.ai.openai.base-url': pair === 'boot-4' ? `${model.url}/v1` : model.url,
    'spring.ai.openai.chat.options.model': model.model,
    'spring.ai.openai.chat.options.stream-usage': 'true',
    'spring.ai.retry.max-attempts': '1',
  };
  const replica = {
    ...common,
    'spring.application.name': APPLICATION,
    'spring.svc.approval.timeout': '6s',
    'spring.svc.approval.webhook-url': webhook.url,
  };
  const careful = {
    ...common,
    'spring.application.name': 'careful',
    'spring.svc.tenant-id': TENANT_OF_CAREFUL,
    'spring.svc.audit.include-prompts': 'false',
    'spring.svc.audit.include-responses': 'false',
    'spring.svc.approval.timeout': '1s',
    'spring.svc.approval.default-decision': 'approved',
    'spring.svc.observability.metric-prefix': 'careful.svc',
  };
  const apps = new Map<ApplicationName, SampleApp>();
  const app = (name: ApplicationName): SampleApp => {
    const started = apps.get(name);
    if (started === undefined) throw new Error(`${name} was not started`);
    return started;
  };
  return {
    model,
    webhook,
    record: readRecord(runtime),
    get first() {
      return app('first');
    },
    get second() {
      return app('second');
    },
    get careful() {
      return app('careful');
    },
    async startApplication(name) {
      apps.set(name, await startSample(pair, name === 'careful' ? careful : replica));
    },
    runtime,
    openRuntime,
    async reopenRuntime() {
      if (places.database === null) throw new Error('no runtime was open');
      await start(places.database);
    },
    async closeRuntime() {
      await places.runtime?.end('SIGTERM');
      await places.database?.drop();
      places.runtime = null;
    },
    async close() {
      for (const started of apps.values()) started.kill();
      await Promise.all([model.close(), webhook.close()]);
    },
  };
}
