import type { Window } from './measurement.ts';

/*
 * A workload is a module that exports `measure`. It runs in its own process, so it shares no
 * processor time, memory or compiled code. It prepares, warms up, and then opens one window. The
 * runner reads the resource use of the server at both ends of the window.
 */
export interface Workload<Params> {
  measure(given: GivenWorkload<Params>): Promise<void>;
}

export interface GivenWorkload<Params> {
  readonly database: BenchAddress;
  readonly params: Params;
  /** The length of the window. */
  readonly seconds: number;
  readonly window: OpenWindow;
  /** Reports progress to the person who waits. */
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
  /** The duration of the work itself, when shorter than the window. */
  readonly seconds?: number;
  readonly otherCpuMicros?: number;
  readonly storeCpuMicros?: number;
  /** The peak memory of the judged process, when another one; null: no process of ours. */
  readonly rssMiB?: number | null;
  readonly extra?: Readonly<Record<string, number>>;
}

export type CellMessage =
  | { readonly type: 'begin' }
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'end'; readonly window: Window };
