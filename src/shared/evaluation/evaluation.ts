import type { Thresholds } from '../domain/eval/judge-thresholds.ts';
import type { Scorer } from '../domain/eval/scorer.ts';
import type { Mapping } from '../domain/expression/mapping.ts';
import type { JsonObject } from '../domain/json.ts';
import type { CaseMappings, DatasetFormat } from './make-case.ts';

/** The task of `svc eval run`: its parsed file and options. */
export interface Evaluation {
  /** Null: nothing is run, and the data set holds the outputs. */
  readonly workflow: WorkflowChoice | null;
  readonly dataset: Dataset;
  /** The judged part of a final state; null: all of it. */
  readonly output: Mapping | null;
  readonly scorers: readonly Scorer[];
  readonly thresholds: Thresholds;
  /** Executions under way at a time. */
  readonly concurrency: number;
  /** Longest time of one execution. */
  readonly caseMs: number;
}

export interface Dataset {
  readonly file: string;
  readonly format: DatasetFormat;
  readonly mappings: CaseMappings;
  /** Null: all. */
  readonly limit: number | null;
}

export type WorkflowChoice =
  /** Version null: the one registered last. */
  | { readonly id: string; readonly version: string | null }
  /** Registered before the first case. */
  | { readonly ir: JsonObject };

/** Options of the command that say the same as, or more than, the file. */
export interface EvaluationOptions {
  readonly workflow?: string;
  readonly version?: string;
  readonly check?: readonly string[];
  readonly threshold?: number;
  readonly concurrency?: number;
  readonly limit?: number;
}
