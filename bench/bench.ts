import { listCells, type Cell } from './cells.ts';
import { type JudgedGate, keyOf } from './gates.ts';
import { installPeers, listPeerCells } from './peers.ts';
import { runCell } from './support/cell-process.ts';
import { type BenchDatabase, openDatabases, type Databases } from './support/databases.ts';
import { LOG_HEAD, logRows, readLogUse } from './support/log-use.ts';
import { buildProgram } from './support/lay-out-package.ts';
import { helpText, readOptions } from './support/options.ts';
import { describeMachine, findPgbench } from './support/machine.ts';
import {
  FUNCTION_HEAD,
  functionRows,
  monotonicMicros,
  openProfileFolder,
  partTable,
} from './support/process-profiles.ts';
import type { Measurement, ServerReading } from './support/measurement.ts';
import {
  GATE_HEAD,
  gateRows,
  RATIO_HEAD,
  ratioRows,
  renderTable,
  RESULT_HEAD,
  resultRows,
  type Result,
} from './support/render.ts';
import { describeRounds, judgeResults, renderReport, type Report } from './support/report.ts';
import { saveLast, savePage } from './support/save-results.ts';
import { WORKER_HEAD, workerRows } from './support/worker-rows.ts';
import { STATEMENT_HEAD, statementRows, type StatementUse } from './support/statement-use.ts';

/*
 * npm run bench [-- --help]
 * Every round runs every workload once, each in its own process on a fresh database of a private
 * PostgreSQL server with full durability. A change of the machine's load therefore affects all
 * workloads alike. The table shows medians over rounds. The gates use ratios within a round, and
 * counters. .svc/bench.json always has the figures of the last run; those of an interrupted run end
 * with its last full round.
 */

const options = readOptions(process.argv.slice(2));
if (options.help) {
  console.log(helpText());
  process.exit(0);
}
const { quick } = options;
const rounds = Number(options.rounds ?? (quick ? 2 : 5));
/** With `--quick` no round begins that would end later. */
const QUICK_SECONDS_MAX = 175;
const seconds = Number(options.seconds ?? (quick ? 1.5 : 2));
/** A workload may take this long outside its window, to prepare, warm up and end. */
const ASIDE_SECONDS_MAX = options.large ? 1_200 : 120;

const pgbench = findPgbench();
buildProgram();
if (options.peers) installPeers();
const churnSeconds = Number(options.churn ?? 0) * 60;
const idleSeconds = options.idle ? Number(options.minutes) * 60 : 0;
const own = listCells({ pgbench, churnSeconds, idleSeconds, seconds, large: options.large });
const cells = sideBySide([...own, ...(options.peers ? listPeerCells() : [])].filter(chosen));
const measurements = new Map<Cell, Measurement[]>(cells.map((cell) => [cell, []]));
const failures = new Map<Cell, string[]>(cells.map((cell) => [cell, []]));

const began = new Date();
let roundsDone = 0;
let cellsDone = 0;
const databases = await openDatabases({ plans: options.statements });
try {
  for (let round = 1; round <= rounds && isTimeFor(round); round += 1) {
    for (const cell of cells.filter((one) => isOf(one, round))) {
      await measureOnce(databases, cell, round);
      cellsDone += 1;
    }
    roundsDone = round;
    saveLast(reportNow());
  }
} finally {
  await databases.close();
}

const report = reportNow();
const { results, gates, machine } = report;
const path = saveLast(report);
if (options.json) console.log(JSON.stringify(report, null, 2));
else {
  console.log(renderTable(RESULT_HEAD, resultRows(results)));
  const ofWorkers = workerRows(results);
  if (ofWorkers.length > 0) console.log(renderTable(WORKER_HEAD, ofWorkers));
  const compared = ratioRows(results);
  if (compared.length > 0) console.log(renderTable(RATIO_HEAD, compared));
  console.log(renderTable(GATE_HEAD, gateRows(gates.filter(isWorthShowing))));
  console.log(`${machine}; ${describeRounds(report)}; also in ${path}`);
}
if (options.save) {
  // The page does not show error messages: they concern only the person who ran the benchmark.
  const told = results.map((result) => ({ ...result, failures: result.failures.map(() => '…') }));
  await savePage(renderReport(report), { ...report, results: told });
}
if (gates.some(({ verdict }) => verdict === 'fail')) process.exitCode = 1;

function reportNow(): Report {
  const results: readonly Result[] = cells.map((cell) => ({
    id: cell.id,
    subject: cell.subject,
    what: cell.what,
    unit: cell.unit,
    rounds: measurements.get(cell) ?? [],
    failures: failures.get(cell) ?? [],
  }));
  const machine = describeMachine({ pgbench, server: databases.serverVersion });
  return {
    began: began.toISOString(),
    rounds: roundsDone,
    seconds,
    machine,
    gates: judgeResults(results),
    results,
  };
}

function isOf(cell: Cell, round: number): boolean {
  return round <= (cell.roundsMax ?? Infinity);
}

/** Whether one more round, as long as the average one, still ends in time. */
function isTimeFor(round: number): boolean {
  if (!quick || round === 1) return true;
  const seconds = (Date.now() - began.getTime()) / 1_000;
  return (seconds / (round - 1)) * round <= QUICK_SECONDS_MAX;
}

/** Runs the same workload of all subjects consecutively, because their figures are compared. */
function sideBySide(all: readonly Cell[]): readonly Cell[] {
  return [...Map.groupBy(all, ({ id }) => id).values()].flat();
}

/** When only some workloads run, hides the gates that need others. */
function isWorthShowing({ verdict }: JudgedGate): boolean {
  return options.only === undefined || verdict !== 'not measured';
}

function chosen(cell: Cell): boolean {
  if (options.only === undefined) return !quick || cell.quick;
  const names = options.only.split(',');
  return names.some((name) =>
    [cell.id, cell.subject, keyOf(cell), cell.id.split('/')[0]].includes(name),
  );
}

/** A workload that fails does not stop the others; the table reports its failure. */
async function measureOnce(from: Databases, cell: Cell, round: number): Promise<void> {
  try {
    const measurement = await measureOn(await from.create(cell.database), cell, round);
    measurements.get(cell)?.push(measurement);
    const rate = `${Math.round(measurement.perSecond)} ${cell.unit}/s`;
    say(`${keyOf(cell)}: ${rate}, load ${measurement.load.toFixed(1)}`, round);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    failures.get(cell)?.push(reason);
    say(`${keyOf(cell)} failed: ${reason}`, round);
  }
}

async function measureOn(database: BenchDatabase, cell: Cell, round: number): Promise<Measurement> {
  const length = seconds * (cell.longer ?? 1);
  const uses: StatementUse[] = [];
  const readings: ServerReading[] = [];
  const readAt: number[] = [];
  using profiles = options.profile ? openProfileFolder() : null;
  const { readServer, readStatements } = database;
  const readBoth = async (): Promise<ServerReading | null> => {
    if (options.statements && readStatements !== null) uses.push(await readStatements());
    const reading = (await readServer?.()) ?? null;
    if (reading !== null) readings.push(reading);
    readAt.push(monotonicMicros());
    return reading;
  };
  try {
    const measurement = await runCell({
      module: new URL(cell.module, import.meta.url),
      database: { dialect: database.dialect, url: database.url },
      params: cell.params,
      seconds: length,
      secondsMax: length * 2 + ASIDE_SECONDS_MAX,
      round,
      readServer: readBoth,
      onProgress: (text) => say(`${keyOf(cell)}: ${text}`, round),
      ...(cell.nodeOptions !== undefined && { nodeOptions: cell.nodeOptions }),
      ...(profiles !== null && { inheritedOptions: profiles.nodeOptions }),
    });
    const units = measurement.perSecond * measurement.seconds;
    if (options.log) await showLog({ url: database.url, readings, units });
    const [before, after] = uses;
    if (before !== undefined && after !== undefined) {
      console.log(renderTable(STATEMENT_HEAD, statementRows({ before, after, units })));
    }
    const [from, to] = readAt;
    if (profiles !== null && from !== undefined && to !== undefined) {
      const found = profiles.read({ from, to });
      console.log(renderTable(...partTable(keyOf(cell), found)));
      console.log(renderTable(FUNCTION_HEAD, functionRows(found)));
    }
    return measurement;
  } finally {
    await database.drop();
  }
}

async function showLog(given: {
  readonly url: string;
  readonly readings: readonly ServerReading[];
  readonly units: number;
}): Promise<void> {
  const { url, units } = given;
  const [before, after] = given.readings;
  if (before === undefined || after === undefined) return;
  const [from, to] = [before.walBytes, after.walBytes];
  const use = await readLogUse({ url, from, to });
  console.log(renderTable(LOG_HEAD, logRows({ use, bytes: to - from, units })));
}

function say(what: string, round: number): void {
  const all = Array.from({ length: rounds }, (_, index) => index + 1)
    .map((one) => cells.filter((cell) => isOf(cell, one)).length)
    .reduce((sum, count) => sum + count, 0);
  const minutes = ((Date.now() - began.getTime()) / 60_000).toFixed(1);
  process.stderr.write(
    `round ${round}/${rounds}, ${cellsDone + 1} of ${all}, ${minutes} min: ${what}\n`,
  );
}
