/** The subject of a tag's routes; the first part of their path is its name. */
export function describeTag(name: string): string {
  const described = TAGS[name];
  if (described === undefined) throw new Error(`the routes of ${name} need a description`);
  return described;
}

const TAGS: Readonly<Record<string, string>> = {
  health: 'Whether the process lives.',
  ready: 'Whether the process can serve.',
  whoami: 'The caller, and which routes the caller may use.',
  '.well-known': 'Documents that other runtimes and agents look for.',
  workflows: 'Workflow definitions, and pauses of all their executions.',
  executions: 'Runs of workflows: start, read, decide, cancel, retry.',
  approvals: 'Decisions that executions wait for.',
  agents: 'Agents that workflows can call.',
  a2a: 'Workflows as agents of the Agent2Agent protocol.',
  audit: 'The record of changes: actor, action, time.',
  tenants: 'Tenants with their limits and policies.',
  workers: 'Processes that work now.',
  system: 'The installation: its processes, its database, its health.',
  settings: 'The settings in force.',
  queues: 'Work that waits, by queue and tool.',
  leases: 'Work that is out, with its holders.',
  failures: 'Failed executions and dead letters, by cause.',
  'work-items': 'The protocol of workers: claim, heartbeat, complete, fail.',
  artifacts: 'Contents too large for a request.',
  memory: 'Facts that agents remember.',
  webhooks: 'Addresses that receive events.',
  schedules: 'Starts of workflows by the clock.',
  cron: 'Schedules, under another name.',
  retention: 'How long executions are kept.',
  tokens: 'Tokens of callers.',
  schemas: 'Descriptions of this API and of workflow definitions.',
};
