/** Warnings and errors in the logs of processes, by message. */
export function countLogged(outputs: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of outputs.flatMap((output) => output.split('\n'))) {
    const entry = readLine(line);
    if (entry === null || !['warn', 'error', 'fatal'].includes(entry.level)) continue;
    counts[entry.msg] = (counts[entry.msg] ?? 0) + 1;
  }
  return counts;
}

function readLine(line: string): { readonly level: string; readonly msg: string } | null {
  try {
    return JSON.parse(line) as { readonly level: string; readonly msg: string };
  } catch {
    return null;
  }
}
