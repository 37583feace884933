/** Whether an execution came in a file: what its events tell was recorded elsewhere. */
export function isImported(executionId: string): string {
  return `exists (select 1 from imported_executions as m where m.execution_id = ${executionId})`;
}
