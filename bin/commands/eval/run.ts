import { randomUUID } from 'node:crypto';

import { compareCases, type ComparedCase } from '../../../src/shared/domain/eval/compare-cases.ts';
import {
  judgeThresholds,
  THRESHOLDS,
  type ThresholdResult,
} from '../../../src/shared/domain/eval/judge-thresholds.ts';
import { CaseTally } from '../../../src/shared/domain/eval/tally-cases.ts';
import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { connectClient } from '../../cli/client.ts';
import { toCounted, type CaseResult } from '../../../src/shared/evaluation/case-result.ts';
import type {
  Evaluation,
  EvaluationOptions,
  WorkflowChoice,
} from '../../../src/shared/evaluation/evaluation.ts';
import { onInterrupt } from '../../cli/on-interrupt.ts';
import { openModels } from './open-models.ts';
import { CASES_SHOWN_MAX, printSummary } from './print-summary.ts';
import { readEarlier } from './read-earlier.ts';
import { readEvaluation } from './read-evaluation.ts';
import { runCase, type CaseRunner } from './run-case.ts';
import { runInOrder } from '../../../src/shared/evaluation/run-in-order.ts';
import { showProgress } from './show-progress.ts';
import { streamCases, surveyDataset } from './survey-dataset.ts';
import { createReport, type ReportWriter } from './write-report.ts';
import { CliError, usageError } from '../../cli/exit-code.ts';
import { printNote } from '../../cli/output.ts';

export interface EvalOptions extends EvaluationOptions {
  /** Absent: run inside this process. */
  readonly url?: string;
  readonly token?: string;
  readonly compare?: string;
  /** A format; with a dot or a slash the report's file, as older scripts say it. */
  readonly output: string;
  /** Older scripts ask so for JSON. */
  readonly json?: boolean;
  /** File of the report. */
  readonly report?: string;
}

/**
 * Runs every case of a data set and judges its result. If it stops early, it still writes a report
 * of the finished cases.
 */
export async function runEvaluation(file: string, options: EvalOptions): Promise<void> {
  const evaluation = await readEvaluation(file, options);
  const earlier = options.compare === undefined ? null : await readEarlier(options.compare);
  const total = await surveyDataset(evaluation.dataset);
  await using opened = new AsyncDisposableStack();
  const runtime = await openRuntime({ evaluation, options, opened });
  const models = openModels(evaluation.scorers);
  const { printsJson, reportFile } = readOutput(options);
  const report = await createReport({
    file: reportFile,
    stdout: printsJson,
    about: {
      report: 'svc eval run',
      file,
      workflow: runtime && { ...runtime.workflow },
      dataset: evaluation.dataset.file,
      started_at: new Date().toISOString(),
    },
  });
  const interrupt = onInterrupt('cancelling the running executions');
  const { signal } = interrupt;
  const ran = await runAll(
    { evaluation, runtime, models: models && models.client, signal },
    { report, total, earlier },
  );
  interrupt.release();
  const summary = ran.tally.summary();
  const thresholds = judgeThresholds(evaluation.thresholds, summary);
  const comparison = earlier && compareCases({ earlier, now: ran.cases });
  const complete = ran.failure === null && interrupt.exitCode() === null;
  const passed = complete && thresholds.every(({ met }) => met);
  const judge = models && models.used();
  await report.finish({ summary, judge, thresholds, comparison, complete, passed });
  if (!printsJson) printSummary({ ...ran, summary, judge, thresholds, comparison });
  if (reportFile !== null) printNote(`report: ${reportFile}`);
  if (ran.failure !== null) throw ran.failure.error;
  const interrupted = interrupt.exitCode();
  if (interrupted !== null) process.exitCode = interrupted;
  else if (!passed) throw new CliError(describeMissed(thresholds));
}

function readOutput({ output, json = false, report }: EvalOptions) {
  const namesFile = /[./]/.test(output);
  return {
    printsJson: json || output === 'json',
    reportFile: report ?? (namesFile ? output : null),
  };
}

/** Says before the first case when there is no runtime, or no such workflow. */
async function openRuntime(params: {
  readonly evaluation: Evaluation;
  readonly options: EvalOptions;
  readonly opened: AsyncDisposableStack;
}): Promise<CaseRunner['runtime']> {
  const { workflow } = params.evaluation;
  if (workflow === null) return null;
  const client = await openClient({ ...params, workflow });
  const { workflow_id: id, version } =
    'ir' in workflow
      ? await client.registerWorkflow(workflow.ir)
      : await client.readWorkflow({ workflowId: workflow.id, version: workflow.version });
  return { client, workflow: { id, version }, runId: randomUUID() };
}

async function openClient(params: {
  readonly workflow: WorkflowChoice;
  readonly options: EvalOptions;
  readonly opened: AsyncDisposableStack;
}): Promise<SvcClient> {
  const { workflow, options, opened } = params;
  const { url } = options;
  if (url !== undefined) return connectClient({ ...options, url, output: 'json' });
  if (!('ir' in workflow)) {
    throw usageError(
      `workflow "${workflow.id}" is the id of a registered one: name its file, or its runtime with --url`,
    );
  }
  // Loaded only here: it is the whole service.
  const { openOwnRuntime } = await import('./open-own-runtime.ts');
  const own = await openOwnRuntime(workflow.ir);
  opened.defer(() => own.close());
  return own.client;
}

interface Ran {
  readonly tally: CaseTally;
  /** The first of the cases that did not pass. */
  readonly failed: readonly CaseResult[];
  /** Empty when there is nothing to compare. */
  readonly cases: ReadonlyMap<string, ComparedCase>;
  /** The reason why it stopped early. */
  readonly failure: { readonly error: unknown } | null;
}

async function runAll(
  given: Omit<CaseRunner, 'tellWait'>,
  to: {
    readonly report: ReportWriter;
    readonly total: number;
    readonly earlier: ReadonlyMap<string, ComparedCase> | null;
  },
): Promise<Ran> {
  const { concurrency, dataset } = given.evaluation;
  const progress = showProgress(to.total);
  const runner = { ...given, tellWait: tellEachOnce(progress.note) };
  const tally = new CaseTally();
  const cases = new Map<string, ComparedCase>();
  const failed: CaseResult[] = [];
  const ran = { tally, failed, cases };
  try {
    await runInOrder({
      items: streamCases(dataset),
      concurrency,
      isOver: () => runner.signal.aborted,
      run: (one) => runCase(runner, one),
      async take(result) {
        tally.add(toCounted(result));
        if (!result.passed && failed.length < CASES_SHOWN_MAX) failed.push(result);
        if (to.earlier !== null) {
          cases.set(result.id, { passed: result.passed, score: result.score });
        }
        progress.show(result);
        await to.report.add(result);
      },
    });
    return { ...ran, failure: null };
  } catch (error) {
    return { ...ran, failure: { error } };
  } finally {
    progress.end();
  }
}

/** Cases often wait for the same reason: a person reads it once. */
function tellEachOnce(note: (text: string) => void): CaseRunner['tellWait'] {
  const told = new Set<string>();
  return ({ key, text }) => {
    if (told.has(key)) return;
    told.add(key);
    note(text);
  };
}

function describeMissed(thresholds: readonly ThresholdResult[]): string {
  const missed = thresholds.filter(({ met }) => !met);
  return missed
    .map(({ name, bound, actual }) => {
      const side = THRESHOLDS[name] === 'least' ? 'below' : 'above';
      return actual === null ? `${name} is unknown` : `${name} ${actual} is ${side} ${bound}`;
    })
    .join('; ');
}
