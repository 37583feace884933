import { dirname, isAbsolute, join } from 'node:path';

import {
  THRESHOLDS,
  type ThresholdName,
} from '../../../src/shared/domain/eval/judge-thresholds.ts';
import { parseScorers } from '../../../src/shared/domain/eval/parse-scorers.ts';
import type { Scorer } from '../../../src/shared/domain/eval/scorer.ts';
import { parseMapping, type Mapping } from '../../../src/shared/domain/expression/mapping.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { parseDuration } from '../../../src/shared/domain/workflow/parse/parse-duration.ts';
import { parseParts } from '../../../src/shared/domain/workflow/parse/parse-parts.ts';
import {
  pointerTo,
  ProblemList,
  WarningList,
} from '../../../src/shared/domain/workflow/problem.ts';
import { usageError } from '../../cli/exit-code.ts';
import { printNote } from '../../cli/output.ts';
import { readDocument } from '../../cli/read-document.ts';
import { unwrapIr } from '../../../src/shared/domain/workflow/unwrap-ir.ts';
import type {
  Evaluation,
  EvaluationOptions,
  WorkflowChoice,
} from '../../../src/shared/evaluation/evaluation.ts';
import type { DatasetFormat } from '../../../src/shared/evaluation/make-case.ts';
import { readDescription, type Description } from './read-description.ts';
import { formatOf } from './read-rows.ts';

const CONCURRENCY_MAX = 256;
const CASE_MS = 600_000;

/**
 * Reads the description of an evaluation. It reports every error with its place, and ends the
 * command before anything runs.
 */
export async function readEvaluation(
  file: string,
  options: EvaluationOptions,
): Promise<Evaluation> {
  const description = await readDescription(file, options);
  const reader = new EvaluationReader(description);
  const evaluation = await reader.read(options);
  for (const { pointer, message } of reader.problems.toArray()) {
    printNote(`${description.name}:${description.lineOf(pointer)}: ${pointer || '/'}: ${message}`);
  }
  const { count } = reader.problems;
  if (count > 0 || evaluation === null) {
    throw usageError(`${file} cannot be run: ${count === 1 ? '1 problem' : `${count} problems`}`);
  }
  return evaluation;
}

const FIELDS: readonly string[] = [
  'name',
  'description',
  'workflow',
  'version',
  'dataset',
  'format',
  'id',
  'input',
  'expected',
  'output',
  'models',
  'scorers',
  'threshold',
  'thresholds',
  'concurrency',
  'limit',
  'timeout_secs',
];

class EvaluationReader {
  readonly problems = new ProblemList();
  readonly #fields: JsonObject;
  readonly #folder: string;

  constructor({ fields, file }: Description) {
    this.#fields = fields;
    this.#folder = dirname(file);
  }

  async read(options: EvaluationOptions): Promise<Evaluation | null> {
    for (const name of Object.keys(this.#fields)) {
      if (FIELDS.includes(name)) continue;
      this.#problem(pointerTo(name), `unknown field: known are ${FIELDS.join(', ')}`);
    }
    const workflow = await this.#workflow(options);
    const dataset = this.#text('dataset');
    const format = dataset === null ? null : this.#format(dataset);
    if (dataset === null) this.#problem('/dataset', 'missing dataset');
    const isRun = workflow !== null;
    const output = this.#mapping('output');
    const mappings = {
      id: this.#mapping('id'),
      input: this.#mapping('input'),
      expected: this.#mapping('expected'),
      output: isRun ? null : output,
    };
    const scorers = this.#scorers(options, isRun);
    const concurrency =
      options.concurrency ?? this.#whole('concurrency', { least: 1, most: CONCURRENCY_MAX }) ?? 4;
    if (concurrency < 1 || concurrency > CONCURRENCY_MAX) {
      throw usageError(`--concurrency must be from 1 to ${CONCURRENCY_MAX}`);
    }
    const limit = options.limit ?? this.#whole('limit', { least: 1, most: 2 ** 31 });
    const thresholds = this.#thresholds(options);
    const caseMs = this.#timeout();
    if (dataset === null || format === null || scorers === null) return null;
    return {
      workflow,
      dataset: { file: within(this.#folder, dataset), format, mappings, limit },
      output: isRun ? output : null,
      scorers,
      thresholds,
      concurrency,
      caseMs,
    };
  }

  /** The id of one that is registered, the name of a file, or the definition itself. */
  async #workflow(options: EvaluationOptions): Promise<WorkflowChoice | null> {
    const version = options.version ?? this.#text('version');
    const value = options.workflow ?? this.#fields['workflow'] ?? null;
    if (value === null) return null;
    if (isJsonObject(value)) return { ir: value };
    if (typeof value !== 'string' || value === '') {
      this.#problem('/workflow', 'must be the id of a workflow, a file, or a definition');
      return null;
    }
    if (!/\.(json|ya?ml)$/i.test(value)) return { id: value, version };
    const folder = options.workflow === undefined ? this.#folder : '.';
    const { ir } = unwrapIr((await readDocument(within(folder, value))).value);
    if (isJsonObject(ir)) return { ir };
    throw usageError(`"${value}" holds no workflow definition`);
  }

  #format(dataset: string): DatasetFormat | null {
    const format = this.#fields['format'] ?? formatOf(dataset);
    if (format === 'jsonl' || format === 'csv') return format;
    const isGiven = (this.#fields['format'] ?? null) !== null;
    this.#problem(
      isGiven ? '/format' : '/dataset',
      isGiven ? 'must be jsonl or csv' : 'must end with .jsonl, .ndjson or .csv, or give a format',
    );
    return null;
  }

  #scorers(options: EvaluationOptions, isRun: boolean): readonly Scorer[] | null {
    const { problems } = this;
    const { models } = parseParts(this.#fields, { problems, warnings: new WarningList() });
    const scorers = parseScorers(withChecks(this.#fields['scorers'] ?? null, options.check ?? []), {
      problem: (pointer, message) => this.#problem(`/scorers${pointer}`, message),
      variables: ['expected'],
      models,
    });
    for (const [index, { type }] of (scorers ?? []).entries()) {
      if (isRun || (type !== 'latency' && type !== 'cost')) continue;
      this.#problem(`/scorers/${index}/type`, `${type} needs a workflow to score`);
    }
    return scorers;
  }

  #thresholds(options: EvaluationOptions) {
    const raw = this.#fields['thresholds'] ?? {};
    if (!isJsonObject(raw)) this.#problem('/thresholds', 'must be an object');
    const thresholds: { [name in ThresholdName]?: number } = {};
    for (const [name, value] of Object.entries(isJsonObject(raw) ? raw : {})) {
      const known = (Object.keys(THRESHOLDS) as ThresholdName[]).find((one) => one === name);
      const pointer = pointerTo('thresholds', name);
      if (known === undefined) {
        this.#problem(pointer, `must be one of ${Object.keys(THRESHOLDS).join(', ')}`);
      } else if (typeof value !== 'number' || value < 0) {
        this.#problem(pointer, 'must be a number, 0 or more');
      } else {
        thresholds[known] = value;
      }
    }
    const share = this.#fields['threshold'] ?? null;
    if (share !== null && (typeof share !== 'number' || share < 0 || share > 1)) {
      this.#problem('/threshold', 'must be a number from 0 to 1');
    } else if (share !== null) {
      thresholds.pass_rate = share;
    }
    if (options.threshold !== undefined) thresholds.pass_rate = options.threshold;
    return Object.keys(thresholds).length === 0 ? { pass_rate: 1 } : thresholds;
  }

  #timeout(): number {
    const value = this.#fields['timeout_secs'] ?? null;
    const ms = value === null ? CASE_MS : parseDuration(value);
    if (ms !== null && ms > 0 && ms < 2 ** 31) return ms;
    this.#problem('/timeout_secs', 'must be a duration of more than 0 and less than 24 days');
    return CASE_MS;
  }

  #text(name: string): string | null {
    const value = this.#fields[name] ?? null;
    if (value === null || (typeof value === 'string' && value !== '')) return value;
    this.#problem(pointerTo(name), 'must be non-empty text');
    return null;
  }

  #whole(name: string, { least, most }: { least: number; most: number }): number | null {
    const value = this.#fields[name] ?? null;
    if (value === null) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
      return value;
    }
    this.#problem(pointerTo(name), `must be a whole number from ${least} to ${most}`);
    return null;
  }

  #mapping(name: string): Mapping | null {
    const value = this.#fields[name] ?? null;
    if (value === null) return null;
    const parsed = parseMapping(value);
    if (parsed.ok) return parsed.mapping;
    this.#problem(pointerTo(name) + parsed.pointer, parsed.message);
    return null;
  }

  #problem(pointer: string, message: string): void {
    this.problems.add(pointer, message);
  }
}

/** A path relative to a folder, as short as it was written. */
function within(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** Checks given as options are one more assertion. */
function withChecks(scorers: JsonValue, checks: readonly string[]): JsonValue {
  if (checks.length === 0) return scorers;
  const added = { type: 'assertion', name: '--check', checks };
  return Array.isArray(scorers) ? [...(scorers as readonly JsonValue[]), added] : [added];
}
