import { styleText } from 'node:util';

/*
 * The output of the demo. `styleText` colours only on a terminal, and heeds NO_COLOR.
 */

export function printTitle(title: string, subtitle: string): void {
  print(`\n${styleText('bold', title)}  ${styleText('dim', subtitle)}`);
}

export function printStep(text: string): void {
  print(`\n${styleText(['bold', 'cyan'], '▶')} ${styleText('bold', text)}`);
}

export function printNote(text: string): void {
  print(`  ${text}`);
}

/** A command of the CLI, as somebody would type it. */
export function printCommand(command: string): void {
  print(`  ${styleText('dim', '$')} ${command}`);
}

/** Something breaks, on purpose. */
export function printBlow(text: string): void {
  print(`  ${styleText(['bold', 'red'], `✗ ${text}`)}`);
}

export function printVerdict(holds: boolean, text: string): void {
  print(`  ${holds ? styleText('green', '✓') : styleText(['bold', 'red'], '✗')} ${text}`);
}

export function printOutput(output: string): void {
  for (const line of output.trimEnd().split('\n')) print(`  ${styleText('dim', '│')} ${line}`);
}

/** One event: time since the start, sequence, kind, node, and what matters of its payload. */
export function printEvent(event: {
  readonly seconds: number;
  readonly sequence: number;
  readonly kind: string;
  readonly node: string;
  readonly detail: string;
}): void {
  const { seconds, sequence, kind, node, detail } = event;
  const time = `${seconds.toFixed(2).padStart(7)} s`;
  const number = String(sequence).padStart(4);
  const row = `${styleText('dim', time + number)}  ${kind.padEnd(18)} ${node.padEnd(13)}`;
  print(`  ${row}${styleText('dim', detail)}`.trimEnd());
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
