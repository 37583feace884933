import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { CliError, EXIT } from '../../cli/exit-code.ts';
import { printFields, printJson } from '../../cli/output.ts';
import { printList } from '../../cli/lists/print-list.ts';

/** Prints tool workers and the service's own processes. */
export async function listWorkers(options: ClientOptions): Promise<void> {
  const answer = await connectClient(options).listWorkers();
  if (options.output === 'json') return printJson(answer);
  const { active_items_are_exact: isExact = true } = answer;
  printList({
    member: 'workers',
    head: ['WORKER', 'KIND', 'HOLDS', 'TOOLS', 'BUILDS', 'VERSION', 'HOST', 'SEEN'],
    rows: answer.workers.map((one) => [
      one.worker_id,
      one.role ?? one.kind,
      isExact ? one.active_items : `${one.active_items}+`,
      one.kind === 'tool' ? (one.tools?.join(', ') ?? 'all') : null,
      one.build_ids?.join(', '),
      one.version,
      one.host,
      one.last_heartbeat,
    ]),
  });
}

/** A worker answers for a minute after its last heartbeat. */
export async function showWorker(workerId: string, options: ClientOptions): Promise<void> {
  const { workers } = await connectClient(options).listWorkers();
  const worker = workers.find((one) => one.worker_id === workerId);
  if (worker === undefined) {
    throw new CliError(`no worker ${workerId} was seen in the last minute: see svc worker list`, {
      exitCode: EXIT.notFound,
    });
  }
  if (options.output === 'json') printJson(worker);
  else printFields({ ...worker });
}
