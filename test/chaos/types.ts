import type { Dump } from '../invariants/dump.ts';
import type { Deed, History } from '../invariants/history.ts';
import type { Violation } from '../invariants/violation.ts';

/*
 * What the parts of a chaos run share: the clients that operate on the service all through it, the
 * faults that strike meanwhile, and the check of what came of both.
 */

/** One request of a client, and when; times in milliseconds since the run began. */
export interface Operation extends Deed {
  readonly beganAtMs: number;
  /** Null while, or when for good, it has no answer. */
  readonly endedAtMs: number | null;
  /** Why there was no answer: a connection cut, a time-out. */
  readonly trouble?: string;
}

/** Told of each operation once, when it was answered or given up. */
export type Record = (operation: Operation) => void;

export interface ClientsParams {
  /** Base URLs of the apis, as clients reach them: through proxies that fail. */
  readonly urls: readonly string[];
  readonly apiKey: string;
  /** The same seed, the same operations, as far as the answers allow. */
  readonly seed: string;
  /** Milliseconds since the run began. */
  readonly now: () => number;
  readonly record: Record;
}

/** Clients under way. They go on whatever breaks, and never throw for what a fault did to them. */
export interface Clients {
  /** Begins nothing more, and resolves once all that was begun is recorded: within 30 s. */
  stop(): Promise<void>;
}

export type StartClients = (params: ClientsParams) => Promise<Clients>;

/**
 * Once all faults are healed: ends what waits for a client (persons, events), starts something new,
 * and sees to it that everything ends or can say why not. What it cannot have is a violation.
 */
export type RunFinalOperations = (
  params: ClientsParams & { readonly withinMs: number },
) => Promise<readonly Violation[]>;

export interface CheckParams {
  readonly history: RunHistory;
  /** The whole database after the final operations. */
  readonly dump: Dump;
  /** Executions that retention may have removed since, as they were when they had ended. */
  readonly seen?: Dump;
  /** By the database's clock, Unix milliseconds: all faults were healed from then on. */
  readonly wellSince: number;
}

export interface RunHistory extends History {
  readonly deeds: readonly Operation[];
}

export type CheckRun = (params: CheckParams) => readonly Violation[];

/** How often each kind of thing that a run has to exercise came about, by its name. */
export type Exercised = (params: CheckParams) => Readonly<globalThis.Record<string, number>>;

/** A fault that struck, for the report. Times in milliseconds since the run began. */
export interface Strike {
  readonly fault: string;
  /** What it struck: `api-1`, `postgres`, `worker-3 → api`. */
  readonly target: string;
  readonly firedAtMs: number;
  /** Null: not healed yet. */
  readonly healedAtMs: number | null;
  /** What came of it that the name doesn't say. */
  readonly note?: string;
}
