import { readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';

import { runOnServer } from '../../../support/database.ts';
import { makeUuid } from '../contract/make.ts';

const DOCUMENT = new URL('../../../../docs/concepts/security.md', import.meta.url);

export interface RuntimeRole {
  readonly name: string;
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** Creates a role that owns nothing, as the documentation says. */
export async function createRuntimeRole(databaseUrl: string): Promise<RuntimeRole> {
  const name = `svc_runtime_${makeUuid().slice(-12)}`;
  const url = new URL(databaseUrl);
  const [, grants = ''] = /```sql\n(.*?)```/s.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  await runOnServer(
    databaseUrl,
    grants
      .replaceAll('svc_runtime', name)
      .replaceAll('database svc ', `database ${url.pathname.slice(1)} `)
      .replaceAll('for role svc ', 'for role current_user ')
      .replace("'…'", "'secret'"),
  );
  url.username = name;
  url.password = 'secret';
  return {
    name,
    url: url.href,
    drop: async () => {
      await runOnServer(databaseUrl, `drop owned by ${name}; drop role ${name}`);
    },
  };
}

/** The same, for one test. */
export async function withRuntimeRole(
  t: ExecutionContext,
  databaseUrl: string,
): Promise<RuntimeRole> {
  const role = await createRuntimeRole(databaseUrl);
  t.teardown(role.drop);
  return role;
}
