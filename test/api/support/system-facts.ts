import { systemFacts } from '../../../src/runtime/system-facts.ts';
import { loadConfig } from '../../../src/shared/config/load.ts';
import type { SystemFacts } from '../../../src/shared/engine/system/system-facts.ts';
import { latestNumber, readMigrations } from '../../../src/shared/store/opening/migrations.ts';
import type { Dialect } from '../../support/database.ts';

/** Values that no answer may contain. */
export const HIDDEN_SECRETS = ['key-that-nobody-may-see-7f3a', 'password-nobody-may-see'];

/** Facts of a process with a few settings from elsewhere than the defaults. */
export function testSystemFacts({ dialect }: { readonly dialect: Dialect }): SystemFacts {
  const [key = '', password = ''] = HIDDEN_SECRETS;
  const loaded = loadConfig({
    flags: { 'runtime.port': '7710' },
    env: {
      SVC_AUTH_API_KEY: key,
      SVC_DATABASE_URL: `postgres://svc:${password}@db.example/svc`,
      SVC_MODELS_ALLOWED_BASE_URLS: `https://user:${password}@models.example`,
    },
    configFile: null,
    cwd: '/',
    mode: 'serve',
  });
  if (!loaded.ok) throw new Error(loaded.problems.join('; '));
  const facts = systemFacts({
    config: loaded.config,
    origins: loaded.origins,
    database: { dialect: 'sqlite', path: ':memory:' },
    keys: { all: () => [], newest: () => null },
  });
  const migrations = async () => {
    const latest = latestNumber(await readMigrations(dialect));
    return { current: latest, latest, pending: [], trouble: null };
  };
  return { ...facts, migrations };
}
