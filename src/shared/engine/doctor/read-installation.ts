import { CHECKED_BYTES_MAX } from '../../store/readings/diagnosis.ts';
import type { ServerFacts, TableFacts } from '../../store/installation.ts';
import type { Store } from '../../store/store.ts';

export interface Installation {
  readonly server: ServerFacts;
  readonly tables: readonly TableFacts[];
}

/** Facts about the database server and its tables. */
export async function readInstallation({
  store: { diagnosis },
}: {
  readonly store: Pick<Store, 'diagnosis'>;
}): Promise<Installation> {
  return {
    server: await diagnosis.serverFacts({ checkedBytesMax: CHECKED_BYTES_MAX }),
    tables: await diagnosis.tableFacts(),
  };
}
