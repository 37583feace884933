import { registerHooks } from 'node:module';

import type { StoreAddress } from '../../../../src/shared/store/opening/open.ts';

/** Opens the store at the given address and prints the drivers that this has loaded. */
const DRIVERS = ['better-sqlite3', 'pg', 'slonik'];
const loaded = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    if (DRIVERS.includes(specifier)) loaded.add(specifier);
    return next(specifier, context);
  },
});
const { openStore } = await import('../../../../src/shared/store/opening/open.ts');
const database = JSON.parse(process.argv[2] ?? '') as StoreAddress;
const store = await openStore({ database, applicationName: 'svc-test' });
await store.ping({ timeoutMs: 10_000 });
await store.close();
const drivers = [...loaded].toSorted();
process.stdout.write(JSON.stringify({ dialect: store.dialect, drivers }));
