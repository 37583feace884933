import type { Window } from './measurement.ts';

/*
 * A workload is a module that exports `measure`. It runs in a process of its own, so that its
 * processor time, its memory and its compiled code are nobody else's. It prepares, warms up, and then
 * opens one window, at both ends of which the runner reads what the server has used.
 */
export interface Workload<Params> {
  measure(given: GivenWorkload<Params>): Promise<void>;
}

export interface GivenWorkload<Params> {
  readonly database: BenchAddress;
  readonly params: Params;
  /** Of the window. */
  readonly seconds: number;
  readonly window: OpenWindow;
  /** Says how far it is, for who waits. */
  readonly progress: (text: string) => void;
}

export interface BenchAddress {
  readonly dialect: Dialect;
  /** A connection string, or the path of a file. */
  readonly url: string;
}

export type Dialect = 'sqlite' | 'postgres';

export type OpenWindow = (run: () => Promise<WindowFigures>) => Promise<void>;

export interface WindowFigures {
  readonly units: number;
  readonly executions: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the work itself, when that is not the whole window. */
  readonly seconds?: number;
  readonly otherCpuMicros?: number;
  readonly storeCpuMicros?: number;
  /** Of the process that is judged, when that is another one; null: none of ours is. */
  readonly rssMiB?: number | null;
  readonly extra?: Readonly<Record<string, number>>;
}

export type CellMessage =
  | { readonly type: 'begin' }
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'end'; readonly window: Window };
