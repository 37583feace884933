/** Reads the execution and the runs that continue it, one after the other, and gives the last. */
export async function readLastRun<Run extends { readonly continued_as?: string | null }>(
  executionId: string,
  read: (executionId: string) => Promise<Run>,
): Promise<Run> {
  for (let id = executionId; ;) {
    const run = await read(id);
    const next = run.continued_as ?? null;
    if (next === null) return run;
    id = next;
  }
}
