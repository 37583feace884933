import type { ExecutionContext } from 'ava';

import { createA2aAgents } from '../../../../src/shared/clients/a2a/create-a2a-agents.ts';
import { systemDelays } from '../../../../src/shared/clients/system-delays.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { createA2aTaskRunner } from '../../../../src/shared/nodes/a2a-task/run.ts';
import type { A2aAgents } from '../../../../src/shared/ports/a2a.ts';
import { createNamedSecrets } from '../../../../src/shared/security/named-secrets.ts';
import {
  startTestAgent,
  type TestAgentOptions,
  type Turn,
} from '../../../support/servers/a2a-agent.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';

export const SECRET = 'the-secret-of-the-agent';
/** A lapsed lease counts as a failed attempt. */
const RETRY = { max_attempts: 2, initial_delay: 0 };
export const DIALECTS = ['sqlite', 'postgres'] as const;

export function openAgents(options: { readonly allowPrivate?: boolean } = {}): A2aAgents {
  return createA2aAgents({
    allowPrivate: options.allowPrivate ?? true,
    secrets: createNamedSecrets({
      patterns: ['SVC_SECRET_*'],
      env: { SVC_SECRET_AGENT: SECRET },
      reserved: [],
    }),
    now: () => performance.now(),
  });
}

/** A process of the service on this store. */
export function openProcess(database: TestStore, agents: A2aAgents = openAgents()) {
  const runner = createA2aTaskRunner({ a2a: agents, delays: systemDelays });
  return openTestEngine({ store: database.store, runners: new Map([['a2a_task', runner]]) });
}

export async function open(t: ExecutionContext, dialect: Dialect = 'sqlite') {
  const database = await openTestStore(dialect);
  t.teardown(() => database.close());
  return database;
}

export async function agentOf(
  t: ExecutionContext,
  work: (turn: Turn) => void | Promise<void>,
  options: TestAgentOptions = {},
) {
  const agent = await startTestAgent(work, options);
  t.teardown(() => agent.close());
  return agent;
}

export function asking(url: string, more: JsonObject = {}, agent: JsonObject = {}): JsonObject {
  const kind = { type: 'a2a_task', remote_agent: 'helper', ...more };
  return {
    remote_agents: { helper: { url, ...agent } },
    nodes: {
      ask: { kind, input_mapping: '$.ask', output_key: 'answer', retry_policy: RETRY },
    },
  };
}

export async function failureOf(
  svc: ReturnType<typeof openProcess>,
  id: string,
): Promise<JsonObject> {
  const { events } = await svc.engine.readEvents({
    tenantId: TENANT,
    executionId: id,
    after: 0,
    limit: null,
  });
  const failed = events.findLast(({ kind }) => kind === 'NodeFailed');
  return failed?.payload ?? {};
}
