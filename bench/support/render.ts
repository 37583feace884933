import Table from 'cli-table3';

import type { JudgedGate } from '../gates.ts';
import type { Measurement } from './measurement.ts';
import { ratios, spread } from './statistics.ts';

/** All rounds of one workload. */
export interface Result {
  readonly id: string;
  readonly subject: string;
  readonly what: string;
  readonly unit: string;
  readonly rounds: readonly Measurement[];
  /** Per failed round, the reason why it has no figures. */
  readonly failures: readonly string[];
}

export const RESULT_HEAD = [
  'workload',
  'of',
  'rate /s',
  'min–max',
  'executions /s',
  'p50 ms',
  'p99 ms',
  'client CPU µs',
  'database CPU µs',
  'WAL bytes',
  'statements',
  'write transactions',
  'RSS MiB',
  'load',
] as const;

/** A line per workload with the medians over its rounds; counters are per unit. */
export function resultRows(results: readonly Result[]): readonly (readonly string[])[] {
  return results.map(({ id, subject, unit, rounds, failures }) => {
    const middle = (pick: (round: Measurement) => number | null, digits = 0): string => {
      const values = rounds.map(pick).filter((value) => value !== null);
      return show(spread(values)?.median ?? null, digits);
    };
    if (rounds.length === 0) {
      return [
        id,
        subject,
        failures.length > 0 ? 'failed' : '–',
        ...RESULT_HEAD.slice(3).map(() => ''),
      ];
    }
    const rate = spread(rounds.map(({ perSecond }) => perSecond));
    const loads = spread(rounds.map(({ load }) => load));
    return [
      id,
      subject,
      `${show(rate?.median ?? null)} ${unit}`,
      `${show(rate?.min ?? null)}–${show(rate?.max ?? null)}`,
      middle(({ executionsPerSecond }) => executionsPerSecond),
      middle(({ p50Ms }) => p50Ms, 2),
      middle(({ p99Ms }) => p99Ms, 1),
      middle(({ clientCpuMicros }) => clientCpuMicros),
      middle(({ databaseCpuMicros }) => databaseCpuMicros),
      middle(({ walBytes }) => walBytes),
      middle(({ statements }) => statements, 2),
      middle(({ writeTransactions }) => writeTransactions, 2),
      middle(({ rssMiB }) => rssMiB),
      `${show(loads?.min ?? null, 1)}–${show(loads?.max ?? null, 1)}`,
    ];
  });
}

export const RATIO_HEAD = ['workload', 'svc to', 'ratio of rates', 'min–max'] as const;

/** The ratio of ours to each other subject of the workload, and to the raw limit, per round. */
export function ratioRows(results: readonly Result[]): readonly (readonly string[])[] {
  const rates = ({ rounds }: Result): ReadonlyMap<number, number> =>
    new Map(rounds.map(({ round, perSecond }) => [round, perSecond]));
  const raw = results.filter(({ subject, id }) => subject === 'raw' && id === RAW_LIMIT);
  return results
    .filter(({ subject }) => subject === 'svc')
    .flatMap((ours) => {
      const others = results.filter(({ id, subject }) => id === ours.id && subject !== 'svc');
      const beside =
        ours.unit === 'steps' && ours.id.startsWith('B/') ? [...others, ...raw] : others;
      return beside.flatMap((other) => {
        const found = spread(ratios(rates(ours), rates(other)));
        if (found === null) return [];
        const name = other.subject === 'raw' ? other.id : other.subject;
        const ends = `${show(found.min, 2)}–${show(found.max, 2)}`;
        return [[ours.id, name, show(found.median, 2), ends]];
      });
    });
}

const RAW_LIMIT = 'L0/16';

export const GATE_HEAD = ['workload', 'gate', 'figure', 'verdict', 'margin'] as const;

export function gateRows(gates: readonly JudgedGate[]): readonly (readonly string[])[] {
  return gates.map(({ workload, asks, figure, verdict, margin }) => [
    workload,
    asks,
    show(figure, figure !== null && Math.abs(figure) < 100 ? 2 : 0),
    verdict,
    show(margin, 2),
  ]);
}

/** The common keys of the rows, and the values below them. */
export function tableOf(
  rows: readonly Readonly<Record<string, string | number>>[],
): [readonly string[], readonly (readonly string[])[]] {
  const head = Object.keys(rows[0] ?? {});
  return [head, rows.map((row) => head.map((key) => String(row[key])))];
}

/** A table for a page, with the time and the machine of the measurement. */
export function renderSection(
  rows: readonly Readonly<Record<string, string | number>>[],
  given: { readonly began: Date; readonly machine: string },
): string {
  const day = given.began.toISOString().slice(0, 10);
  return `${renderMarkdown(...tableOf(rows))}\n\n${day}: ${given.machine}.`;
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

export function renderMarkdown(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A number with thin spaces between groups of three digits; a dash for null. */
export function show(value: number | null, digits = 0): string {
  if (value === null) return '–';
  if (!Number.isFinite(value)) return '∞';
  const [whole = '', part] = value.toFixed(digits).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ');
  return part === undefined ? grouped : `${grouped}.${part}`;
}
