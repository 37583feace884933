/** The part of the executions' address that shows those of a workflow. */
export function executionsOf(of: {
  readonly id: string;
  readonly version?: string;
  readonly status?: string;
}): Readonly<Record<string, string>> {
  const parts = [
    `workflow = ${JSON.stringify(of.id)}`,
    of.version === undefined ? null : `version = ${JSON.stringify(of.version)}`,
    of.status === undefined ? null : `status = ${of.status}`,
  ];
  return { q: parts.filter((part) => part !== null).join(' and ') };
}
