import type { Http } from '../../ports/http.ts';
import type { Ids } from '../../ports/ids.ts';
import type { AgentStore } from '../../store/agents.ts';

/** The dependencies of the use cases of agents. */
export interface AgentsDeps {
  readonly store: AgentStore;
  readonly ids: Ids;
  /** The way out to the addresses that callers name. */
  readonly http: Http;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly settings: {
    /** `agents.heartbeat_timeout` */
    readonly heartbeatTimeoutMs: number;
  };
}
