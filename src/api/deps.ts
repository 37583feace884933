import type { UseCaseDeps } from '../shared/engine/use-case-deps.ts';
import type { ExecutionId } from '../shared/domain/ids.ts';
import type { AccessRules, Identity } from '../shared/domain/access.ts';
import type { JsonObject } from '../shared/domain/json.ts';
import type { AgentsDeps } from '../shared/engine/agents/deps.ts';
import type { MemoryDeps } from '../shared/engine/memory/deps.ts';
import type { SystemFacts } from '../shared/engine/system/system-facts.ts';
import type { WebhookDeps } from '../shared/engine/webhooks/create-webhook.ts';
import type { Ids } from '../shared/ports/ids.ts';
import type { Authenticator, BearerScheme } from '../shared/security/authenticator.ts';
import type { CertificateSubject } from '../shared/security/authenticators/certificates.ts';
import type { ExposedWorkflow, TokenStore } from '../shared/store/store.ts';
import type { DatabaseProbe } from './database-probe.ts';
import type { AnswerLimit } from './middleware/limit-answers.ts';
import type { RateLimit } from './middleware/limit-rate.ts';
import type { ExtendMcp } from './mcp/extend-mcp.ts';
import type { CallerWatches } from './watch-callers.ts';
import type { PermittedRoute } from './permitted-routes.ts';

/** The dependencies that the process gives the API. */
export interface ApiDeps {
  readonly engine: UseCaseDeps;
  readonly memory: MemoryDeps;
  readonly agents: AgentsDeps;
  /** Reads and updates of stored tokens for authentication. */
  readonly storedTokens: Pick<TokenStore, 'findByHash' | 'noteUsed'>;
  readonly webhooks: WebhookDeps;
  /** The process and its configuration, for operators. */
  readonly system: SystemFacts;
  /** Resolves when the database answers, rejects within a bound of its own when it does not. */
  readonly ping: () => Promise<void>;
  readonly log: ApiLog;
  readonly version: string;
  /** Where others reach the API, without a slash at its end; asked for with each request. */
  readonly publicUrl: () => string;
  readonly settings: ApiSettings;
  readonly ids: Ids;
  /** Milliseconds of a clock that never goes back, for caches and durations only. */
  readonly now: () => number;
  readonly newRequestId: () => string;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** More tools for the MCP server than those of this API; none when absent. */
  readonly extendMcp?: ExtendMcp;
  /** The parent of a worker's own spans; null: unknown. Absent: no traces are exported. */
  readonly traceparentOf?: (attempt: {
    readonly executionId: ExecutionId;
    readonly nodeId: string;
    readonly visit: number;
    readonly attempt: number;
  }) => Promise<string | null>;
  /** Called once for every request, when its answer has been sent or its connection has ended. */
  readonly onRequest: (request: RequestReport) => void;
}

export interface ApiSettings {
  readonly auth: AccessRules & {
    /** False: every request is an operator's of the default tenant. */
    readonly enabled: boolean;
    /** SVC_AUTH_API_KEY; null: not set. */
    readonly apiKey: string | null;
    /** Absent: stored tokens and the API key. */
    readonly method?: AuthMethod;
  };
  readonly bodyBytesMax: number;
  /** `artifacts.max_bytes` */
  readonly artifactBytesMax: number;
  /** Whether `/mcp` is served. */
  readonly mcp: boolean;
  /** Whether `/docs` is served without a token. */
  readonly openDocs: boolean;
  /** The folder with the console's build, which may be missing; null: the console is not served. */
  readonly console: { readonly folder: string } | null;
  /** Pause between two comments on a quiet event stream. */
  readonly streamHeartbeatMs: number;
  /** How often the API checks that the caller of a streaming answer still has access. */
  readonly callerRecheckMs: number;
  /** Event streams that one token may have open at this process. */
  readonly streamsPerToken: number;
  /** Requests of one token that may wait for the end of an execution at this process. */
  readonly resultWaitsPerToken: number;
}

/** Another way than stored tokens; `acceptTokens`: these and the API key are accepted as well. */
export type AuthMethod = { readonly acceptTokens: boolean } & (
  | { readonly kind: 'jwt'; readonly tokens: BearerScheme }
  | {
      readonly kind: 'mtls';
      readonly subjects: readonly CertificateSubject[];
      readonly currentDate: () => Date;
    }
);

export const DEFAULT_STREAM_HEARTBEAT_MS = 15_000;
/** With the seconds for which tokens and tenants are remembered, no more than five. */
export const DEFAULT_CALLER_RECHECK_MS = 1_900;

export interface RequestReport {
  readonly method: string;
  /** The route's template, `/executions/:id`, or `unmatched`: bounded, fit for a label. */
  readonly route: string;
  /** 499: the caller left before an answer was begun. */
  readonly status: number;
  readonly seconds: number;
  /** The ids of the request, in the wire's names; `request_id` at least. Never for a label. */
  readonly ids: Readonly<Record<string, string>>;
}

export interface ApiLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The dependencies of endpoints: the above, and the API's own state between requests. */
export interface EndpointDeps extends ApiDeps {
  readonly authenticator: Authenticator;
  readonly rateLimit: RateLimit;
  readonly streamLimit: AnswerLimit;
  readonly resultWaitLimit: AnswerLimit;
  readonly callerWatches: CallerWatches;
  readonly database: DatabaseProbe;
  /** Aborted, before that or then, when nobody else is to come. */
  readonly leaving: AbortSignal;
  /** Aborted when the server begins to close: long polls and streams end. */
  readonly draining: AbortSignal;
  /** The workflows of the default tenant that are exposed as agents, as of a few seconds ago. */
  readonly exposed: () => Promise<readonly ExposedWorkflow[]>;
  /** The routes that the caller may use. */
  readonly permittedTo: (identity: Identity) => PermittedRoute[];
  /** The OpenAPI document of all routes. */
  readonly openApi: () => JsonObject;
}
