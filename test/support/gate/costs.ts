import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The variable with the file to which each test file adds a line of JSON, its `FileCost`. */
export const COSTS_FILE = 'TEST_COSTS_FILE';

/** The name of the server that all files of a run share, among those of the files. */
export const POSTGRES = 'PostgreSQL';

/** The cost of a test file, in seconds, or that of the shared server. */
export interface FileCost {
  readonly file: string;
  /** From the start of its process to the end. */
  readonly wall: number;
  /** Processor time of its own process. */
  readonly own: number;
  /** Processor time of the processes that it started and awaited, with theirs. */
  readonly children: number;
}

/** The kernel counts in hundredths of a second on every Linux. */
const TICKS_A_SECOND = 100;
/** A run of fewer files tells no list: who runs a few looks at their tests. */
const FILES_MIN = 50;
const FILES_TOLD = 15;

/** Processor time of the ended children, from the text of `/proc/<pid>/stat`. */
export function childSecondsOf(stat: string): number {
  // The name of the program comes before, and may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

export function readCosts(file: string): readonly FileCost[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as FileCost);
}

export function addCost(file: string, cost: FileCost): void {
  appendFileSync(file, `${JSON.stringify(cost)}\n`);
}

/** The sum and the costliest files; empty for few files. */
export function describeCosts(costs: readonly FileCost[]): string {
  const files = costs.filter(({ file }) => file !== POSTGRES);
  if (files.length < FILES_MIN) return '';
  const all = sumOf(costs);
  const postgres = all - sumOf(files);
  const costliest = files.toSorted((one, other) => processorSeconds(other) - processorSeconds(one));
  return [
    `\nProcessor time of ${files.length} test files: ${all.toFixed(0)} s, of which PostgreSQL took ${postgres.toFixed(0)} s. The costliest files:\n`,
    ...costliest
      .slice(0, FILES_TOLD)
      .map(
        (cost) =>
          `${processorSeconds(cost).toFixed(1).padStart(6)} s in ${cost.wall.toFixed(1).padStart(5)} s  ${cost.file}\n`,
      ),
  ].join('');
}

function sumOf(costs: readonly FileCost[]): number {
  return costs.reduce((sum, cost) => sum + processorSeconds(cost), 0);
}

function processorSeconds({ own, children }: FileCost): number {
  return own + children;
}
