import type { Config } from '../shared/config/config.ts';
import type { DatabaseLocation } from '../shared/config/database-url.ts';
import type { ConfigOrigins } from '../shared/config/load.ts';
import type { ProcessRole } from '../shared/config/listeners.ts';
import type { Timers } from '../shared/engine/scheduling/timers.ts';
import type { RunnableKind } from '../shared/nodes/runnable-kind.ts';
import type { Store } from '../shared/store/store.ts';
import type { Logger } from '../shared/telemetry/log.ts';

/** The inputs of a process. */
export interface Boot {
  readonly config: Config;
  readonly database: DatabaseLocation;
  /** Where the values of the configuration come from, for operators who ask. */
  readonly origins?: ConfigOrigins;
  /** Already open, in place of `database`; closed with the runtime. */
  readonly store?: Store;
  /** The clock of the engine and its loops; absent: the system's. */
  readonly timers?: Timers;
  /** As in the settings of the engine. */
  readonly failsMisfits?: boolean;
  readonly role: ProcessRole;
  readonly processId: string;
  readonly log: Logger;
  readonly databaseWaitMs: number;
  /** Breaks the start off, unless the API listens already: the caller then stops the runtime. */
  readonly signal: AbortSignal;
  /** Keys of model providers, and what the secrets of tools and log redaction refer to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False: the API is a handler for the caller's server. */
  readonly listens?: boolean;
  /** Kinds of nodes beside those of the service. */
  readonly kinds?: readonly RunnableKind<unknown>[];
  /** Commands in messages as the reader would type them; as they are when absent. */
  readonly showCommand?: (text: string) => string;
}
