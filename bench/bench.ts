import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { listCells, type Cell } from './cells.ts';
import { GATES, judge, type JudgedGate, keyOf } from './gates.ts';
import { installPeers, listPeerCells } from './peers.ts';
import { runCell } from './support/cell-process.ts';
import { openDatabases, type Databases } from './support/databases.ts';
import { describeMachine, findPgbench } from './support/machine.ts';
import type { Measurement } from './support/measurement.ts';
import {
  GATE_HEAD,
  gateRows,
  renderMarkdown,
  renderTable,
  RESULT_HEAD,
  resultRows,
  type Result,
} from './support/render.ts';
import { saveLast, savePage } from './support/save-results.ts';
import { STATEMENT_HEAD, statementRows, type StatementUse } from './support/statement-use.ts';

/*
 * npm run bench [-- --peers] [--quick] [--rounds 5] [--seconds 4] [--only B/16,DBOS] [--json] [--save]
 *
 * Every round runs every workload once, each in a process of its own on a fresh database of a private
 * PostgreSQL server with full durability, so that a change of the machine's mood meets all alike. The
 * table shows medians over rounds, the gates are judged by ratios within a round and by counters.
 * `--only`: names or subjects; `--churn 10`: with workload G, of so many minutes; `--large`: with a
 * backlog of a million; `--statements`: with the statements of each workload; `--save`: into
 * docs/performance.md. Figures of the last run are always in .svc/bench.json.
 */

const { values: options } = parseArgs({
  options: {
    peers: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    churn: { type: 'string' },
    statements: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});
const { quick } = options;
const rounds = Number(options.rounds ?? (quick ? 2 : 5));
/** With `--quick` no round begins that would end later. */
const QUICK_SECONDS_MAX = 175;
const seconds = Number(options.seconds ?? (quick ? 1.5 : 4));
/** Beside its window a workload may take this long to prepare, warm up and end. */
const ASIDE_SECONDS_MAX = options.large ? 1_200 : 120;

const pgbench = findPgbench();
if (options.peers) installPeers();
const churnSeconds = Number(options.churn ?? 0) * 60;
const own = listCells({ pgbench, churnSeconds, seconds, large: options.large });
const cells = sideBySide([...own, ...(options.peers ? listPeerCells() : [])].filter(chosen));
const measurements = new Map<Cell, Measurement[]>(cells.map((cell) => [cell, []]));
const failures = new Map<Cell, string[]>(cells.map((cell) => [cell, []]));

const began = new Date();
let roundsDone = 0;
const databases = await openDatabases({ plans: options.statements });
try {
  for (let round = 1; round <= rounds && isTimeFor(round); round += 1) {
    for (const cell of cells) await measureOnce(databases, cell, round);
    roundsDone = round;
  }
} finally {
  await databases.close();
}

const results: readonly Result[] = cells.map((cell) => ({
  id: cell.id,
  subject: cell.subject,
  what: cell.what,
  unit: cell.unit,
  rounds: measurements.get(cell) ?? [],
  failures: failures.get(cell) ?? [],
}));
const gates = judge(GATES, new Map(results.map((result) => [keyOf(result), result.rounds])));
const machine = describeMachine({ pgbench, server: databases.serverVersion });
const described = `${roundsDone === 1 ? 'one round' : `medians of ${roundsDone} rounds`} of ${seconds} s`;
const report = { began, rounds: roundsDone, seconds, machine, gates, results };
const path = saveLast(report);
if (options.json) console.log(JSON.stringify(report, null, 2));
else {
  console.log(renderTable(RESULT_HEAD, resultRows(results)));
  console.log(renderTable(GATE_HEAD, gateRows(gates.filter(isWorthShowing))));
  console.log(`${machine}; ${described}; also in ${path}`);
}
if (options.save) {
  await savePage(
    [
      `${began.toISOString().slice(0, 10)}: ${machine}; ${described}.`,
      renderMarkdown(GATE_HEAD, gateRows(gates)),
      renderMarkdown(RESULT_HEAD, resultRows(results)),
    ].join('\n\n'),
    // What an error says is for whoever ran it.
    {
      ...report,
      results: results.map(({ failures, ...result }) => ({ ...result, failures: failures.length })),
    },
  );
}
if (gates.some(({ verdict }) => verdict === 'fail')) process.exitCode = 1;

/** As long as the rounds before took, and a round more. */
function isTimeFor(round: number): boolean {
  if (!quick || round === 1) return true;
  const seconds = (Date.now() - began.getTime()) / 1_000;
  return (seconds / (round - 1)) * round <= QUICK_SECONDS_MAX;
}

/** What is compared runs one after the other: the same workload of all subjects. */
function sideBySide(all: readonly Cell[]): readonly Cell[] {
  return [...Map.groupBy(all, ({ id }) => id).values()].flat();
}

/** Of a few workloads, only what they say something about. */
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

async function measureOnce(from: Databases, cell: Cell, round: number): Promise<void> {
  const database = await from.create(cell.database);
  const length = seconds * (cell.longer ?? 1);
  const uses: StatementUse[] = [];
  const { readServer, readStatements } = database;
  const noteStatements = async (): Promise<void> => {
    if (options.statements && readStatements !== null) uses.push(await readStatements());
  };
  try {
    const measurement = await runCell({
      module: new URL(cell.module, import.meta.url),
      database: { dialect: database.dialect, url: database.url },
      params: cell.params,
      seconds: length,
      secondsMax: length * 2 + ASIDE_SECONDS_MAX,
      round,
      readServer:
        readServer === null
          ? null
          : async () => {
              await noteStatements();
              return readServer();
            },
    });
    measurements.get(cell)?.push(measurement);
    const rate = `${Math.round(measurement.perSecond)} ${cell.unit}/s`;
    say(`${keyOf(cell)}: ${rate}, load ${measurement.load.toFixed(1)}`);
    const [before, after] = uses;
    if (before !== undefined && after !== undefined) {
      const units = measurement.perSecond * measurement.seconds;
      console.log(renderTable(STATEMENT_HEAD, statementRows({ before, after, units })));
    }
  } catch (error) {
    // The others are still worth having; the table says that this one failed.
    const reason = error instanceof Error ? error.message : String(error);
    failures.get(cell)?.push(reason);
    say(`${keyOf(cell)} failed: ${reason}`);
  } finally {
    await database.drop();
  }

  function say(what: string): void {
    process.stderr.write(`round ${round}/${rounds}, ${cpus().length} cores: ${what}\n`);
  }
}
