import type { Dump } from '../invariants/dump.ts';
import type { Deed, History } from '../invariants/history.ts';
import type { Violation } from '../invariants/violation.ts';
import type { Arrival } from './clients/webhook-receiver.ts';

/*
 * Types that the parts of a chaos run share: the clients that operate on the service, the faults
 * that strike meanwhile, and the check of the results.
 */

/** One request of a client, and its times in milliseconds since the run began. */
export interface Operation extends Deed {
  readonly beganAtMs: number;
  /** Null as long as it has no answer. */
  readonly endedAtMs: number | null;
  /** The reason why no answer came: a broken connection, a timeout. */
  readonly trouble?: string;
  /** The header of its answer, if it had one. */
  readonly retryAfter?: string;
}

/** Receives each operation once, after its answer or when the client gives up. */
export type Record = (operation: Operation) => void;

export interface ClientsParams {
  /** Base URLs of the APIs, as clients reach them: through proxies that fail. */
  readonly urls: readonly string[];
  readonly apiKey: string;
  /** The same seed gives the same operations, as far as the answers allow. */
  readonly seed: string;
  /** Milliseconds since the run began. */
  readonly now: () => number;
  readonly record: Record;
  /** So many times longer clients rest between two requests; 1: at the usual pace. */
  readonly rests: number;
}

/** Running clients. They continue through every fault, and never throw for its effects. */
export interface Clients {
  /** Begins nothing more, and resolves when all operations are recorded: within 30 s. */
  stop(): Promise<void>;
}

export type StartClients = (params: ClientsParams) => Promise<Clients>;

/**
 * Runs after all faults are healed. It ends executions that wait for a client (persons, events),
 * starts new ones, and requires every execution to end or to report why not. A miss is a violation.
 */
export type RunFinalOperations = (
  params: ClientsParams & { readonly withinMs: number },
) => Promise<readonly Violation[]>;

export interface CheckParams {
  readonly history: RunHistory;
  /** The whole database after the final operations. */
  readonly dump: Dump;
  /** Ended executions, as they were before retention could remove them. */
  readonly seen?: Dump;
  /** Messages at the receiver of webhooks, in order. */
  readonly arrivals?: readonly Arrival[];
  /** The time when all faults were healed, by the database's clock, in Unix milliseconds. */
  readonly wellSince: number;
}

export interface RunHistory extends History {
  readonly deeds: readonly Operation[];
}

export type CheckRun = (params: CheckParams) => readonly Violation[];

/** How often each situation occurred that a run must exercise, by its name. */
export type Exercised = (params: CheckParams) => Readonly<globalThis.Record<string, number>>;

/** A strike of a fault, for the report. Times are milliseconds since the run began. */
export interface Strike {
  readonly fault: string;
  /** The target: `api-1`, `postgres`, `worker-3 → api`. */
  readonly target: string;
  readonly firedAtMs: number;
  /** Null: not healed yet. */
  readonly healedAtMs: number | null;
  /** Details of the outcome that the name does not say. */
  readonly note?: string;
}
