import type { CampaignReport, Finding } from './ledger.ts';

/** The report as text. */
export function renderReport(report: CampaignReport, url: string): string {
  const { findings, operations, shapes } = report;
  const width = Math.max(...Object.keys(operations).map((name) => name.length));
  const lines = Object.entries(operations).map(
    ([name, { valid, mutated }]) =>
      `${name.padEnd(width)}  valid ${renderCounts(valid)}  changed ${renderCounts(mutated)}`,
  );
  const shaped = Object.values(shapes).reduce((sum, count) => sum + count, 0);
  const { first, highest, last } = report.memoryMb;
  return [
    ...lines,
    ...Object.entries(report.misses).map(
      ([name, said]) => `${name} should have succeeded: ${said}`,
    ),
    `socket: ${shaped} times one of ${Object.keys(shapes).length} shapes`,
    `workflows made to do harm: ${renderCounts(report.workflows)}`,
    `memory: ${first.toFixed(0)} MB after the first requests, at most ${highest.toFixed(0)}, ${last.toFixed(0)} at the end`,
    `longest: ${report.longestCpuMs} ms of a processor for one request, ${report.longestHealthMs.toFixed(0)} ms for /health meanwhile`,
    `compared: the whole database around ${report.stateChecked} refusals; ${report.unquiet} batches were never quiet`,
    `${report.requests} requests in ${report.rounds} rounds of seed ${report.seed}: ${findings.length} findings`,
    ...findings.map((finding) => renderFinding(finding, url)),
  ].join('\n');
}

export function renderFinding(finding: Finding, url: string): string {
  const { rule, operation, detail, mutations, answer, seed, round } = finding;
  return [
    '',
    `${operation}: broken is "${rule}"`,
    ...(detail === '' ? [] : [`  ${detail}`]),
    ...mutations.map((name) => `  changed: ${name}`),
    `  seed ${seed}, round ${round}; again: ${renderCommand(finding.bytes, url)}`,
    ...(answer === '' ? [] : [`  answered: ${answer}`]),
  ].join('\n');
}

const SHOWN_BYTES_MAX = 3_000;

/** A shell command that sends the same bytes. It cuts longer ones; the seed produces them again. */
function renderCommand(bytes: Buffer, url: string): string {
  const { hostname, port } = new URL(url);
  const hex = bytes.subarray(0, SHOWN_BYTES_MAX).toString('latin1');
  const shown = hex
    .replaceAll(/Bearer [\w.-]{20,}/g, 'Bearer $TOKEN')
    .replaceAll(
      /[^\x20-\x26\x28-\x7e]/g,
      (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  const cut = bytes.length > SHOWN_BYTES_MAX ? ` (${bytes.length} bytes, cut)` : '';
  return `printf '${shown.replaceAll('%', '%%')}' | nc -N ${hostname} ${port}${cut}`;
}

function renderCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([status, count]) => `${status}×${count}`);
  return parts.join(' ') || 'none';
}
