import { randomBytes } from 'node:crypto';

import { createSvcClient, type SvcClient } from '../../../src/shared/clients/svc/client.ts';
import type { Config } from '../../../src/shared/config/config.ts';
import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { readWorkflow } from '../../../src/shared/domain/workflow/ir.ts';
import { builtInKinds } from '../../../src/shared/nodes/index.ts';
import { IN_MEMORY } from '../../../src/shared/config/database-url.ts';
import { openInMemoryStore } from '../../../src/shared/store/sqlite/open-in-memory.ts';
import { boot } from '../../../src/runtime/boot.ts';
import { createLog } from '../../../src/runtime/telemetry/create-log.ts';
import { usageError } from '../../cli/exit-code.ts';
import { createProcessId } from '../../../src/runtime/process-id.ts';
import { readConfig } from '../../boot/read-config.ts';
import { findWorkerNodes } from '../../../src/shared/evaluation/find-worker-nodes.ts';

export interface OwnRuntime {
  readonly client: SvcClient;
  close(): Promise<void>;
}

/**
 * A runtime inside this process, on a database in memory, with the models, tools and limits that
 * `svc dev` would take from the same environment and file. It listens on loopback alone and takes
 * a key that only this process knows, so both ways to run a case share one client.
 */
export async function openOwnRuntime(ir: JsonObject): Promise<OwnRuntime> {
  refuseWorkerNodes(ir);
  const { config: given } = readConfig({}, 'dev');
  const apiKey = randomBytes(32).toString('base64url');
  const config = onItsOwn(given, apiKey);
  const processId = createProcessId();
  const runtime = await boot({
    config,
    database: { dialect: 'sqlite', path: IN_MEMORY },
    store: await openInMemoryStore(),
    role: 'all',
    processId,
    log: createLog({ config, role: 'all', processId }),
    databaseWaitMs: 0,
    signal: new AbortController().signal,
    env: process.env,
  });
  return {
    client: createSvcClient({ url: runtime.url ?? '', token: apiKey }),
    close: () => runtime.stop({ leaveMs: 0, deadlineMs: STOP_MS_MAX }),
  };
}

/** Requests that are cut off here were abandoned already. */
const STOP_MS_MAX = 1_000;

function onItsOwn(given: Config, apiKey: string): Config {
  return {
    ...given,
    runtime: { ...given.runtime, bind: '127.0.0.1', port: 0, publicUrl: null },
    auth: { ...given.auth, enabled: true, method: 'api_key', apiKey },
    api: { ...given.api, tls: { certFile: null, keyFile: null, clientCaFile: null } },
    memory: { ...given.memory, encryptionKey: randomBytes(32).toString('base64') },
    retention: { ...given.retention, archiveDir: null },
    telemetry: { ...given.telemetry, metricsPort: 'off' },
    // Stdout is for the report.
    logging: { ...given.logging, level: 'silent' },
  };
}

/** Nobody could claim their work, and each case would wait until its time is over. */
function refuseWorkerNodes(ir: JsonObject): void {
  const read = readWorkflow({ ir, kinds: builtInKinds });
  // The registration reports its other errors.
  const nodes = read.ok ? findWorkerNodes(read.plan) : [];
  if (nodes.length === 0) return;
  throw usageError(
    `${nodes.length === 1 ? 'node' : 'nodes'} ${nodes.join(', ')} need a worker, and this command has none: ` +
      'run it with --url against the runtime that the workers serve',
  );
}
