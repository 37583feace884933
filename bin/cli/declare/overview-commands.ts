import { Option, type Command } from 'commander';

import type { OneDecision } from '../../commands/overview/approval.ts';
import type { DecideOptions, ListApprovalsOptions } from '../../commands/overview/approvals.ts';
import type { FailureOptions } from '../../commands/overview/failures.ts';
import type { CheckOptions } from '../../commands/worker-check/check-worker.ts';
import { addPageOptions } from '../lists/pages.ts';
import { addWatchOption, watched } from '../lists/watched.ts';
import { addOutputOption } from '../output-option.ts';
import { parseCount, parseWithin } from '../parse-option.ts';
import { addRuntimeOptions } from './client-commands.ts';

const loadApproval = () => import('../../commands/overview/approval.ts');
const loadFailures = () => import('../../commands/overview/failures.ts');
const loadApprovals = () => import('../../commands/overview/approvals.ts');

/** Commands about all executions of a tenant: what waits for people, for workers, and what failed. */
export function declareOverviewCommands(program: Command): void {
  declareApprovalCommands(program);

  const queue = program.command('queue').description('inspect the queues of work items');
  addWatchOption(clientCommand(queue, 'list'))
    .description('list queues by tool, with their workers')
    .action(
      watched(async (options) => {
        const { listQueues } = await import('../../commands/overview/queues.ts');
        return listQueues(options);
      }),
    );

  const worker = program.command('worker').description('inspect and check workers');
  addWatchOption(clientCommand(worker, 'list'))
    .description('list the workers seen in the last minute')
    .action(
      watched(async (options) => {
        const { listWorkers } = await import('../../commands/overview/workers.ts');
        return listWorkers(options);
      }),
    );
  clientCommand(worker, 'show')
    .description('print a worker')
    .argument('<worker>', 'worker id')
    .action(async (id, options) => {
      const { showWorker } = await import('../../commands/overview/workers.ts');
      return showWorker(id, options);
    });
  addOutputOption(worker.command('check'))
    .description('check a worker against the rules of the protocol')
    .option('--cmd <command>', 'command that starts the worker')
    .option('--case <name...>', 'only these cases')
    .option('--list', 'list the cases instead')
    .option('--concurrency <count>', 'cases at a time', parseCount, 4)
    .option('--timeout <seconds>', 'longest time of a case', parseCount, 30)
    .action(async (options: CheckOptions) => {
      const { checkWorker } = await import('../../commands/worker-check/check-worker.ts');
      return checkWorker(options);
    });

  const failure = program.command('failure').description('inspect failures');
  failureCommand(failure, 'list')
    .description('list failures by cause, the largest first')
    .action(async (options: FailureOptions) => (await loadFailures()).listFailures(options));
  failureCommand(failure, 'show')
    .description('list all failures of one cause')
    .argument('<group>', 'id of the group, as listed')
    .action(async (group: string, options: FailureOptions) =>
      (await loadFailures()).showFailures(group, options),
    );
}

/** A group has the failures that these options find. */
function failureCommand(parent: Command, name: string): Command {
  return addPageOptions(clientCommand(parent, name))
    .option('-q, --query <query>', 'only of executions that fit this query: labels.tier = gold')
    .option(
      '--within <duration>',
      'only failures of this time, such as 12h; default: 24h',
      parseWithin,
    )
    .option('--workflow <workflow>', 'only failures of this workflow');
}

function declareApprovalCommands(program: Command): void {
  const approval = program.command('approval').description('list and decide approvals');
  addPageOptions(addWatchOption(clientCommand(approval, 'list')))
    .description('list the approvals of all executions')
    .addOption(
      new Option('--status <status>', 'open approvals, or the decided ones')
        .choices(['pending', 'decided'])
        .default('pending'),
    )
    .option('--workflow <workflow>', 'only approvals of this workflow')
    .action(
      watched(async (options: ListApprovalsOptions) =>
        (await loadApprovals()).listApprovals(options),
      ),
    );

  clientCommand(approval, 'show')
    .description('print the approvals of an execution')
    .argument('<execution>', 'execution id')
    .action(async (id, options) => (await loadApproval()).showApproval(id, options));

  decisionCommand(approval, 'approve').description('approve what an execution asks for');
  decisionCommand(approval, 'reject').description('reject what an execution asks for');

  clientCommand(approval, 'decide')
    .description('decide open approvals; without --yes, list them')
    .argument('[executions...]', 'only approvals of these executions')
    .option('--workflow <workflow>', 'only approvals of this workflow')
    .option('--node <node>', 'only approvals of this node')
    .option('--reject', 'reject instead of approving')
    .option('--user <user>', 'user who decides')
    .option('--comment <text>', 'reason for the decision')
    .option('--limit <count>', 'decide at most this many', parseCount)
    .option('--yes', 'act instead of listing')
    .action(async (executions: readonly string[], options: DecideOptions) =>
      (await loadApprovals()).decideApprovals(executions, options),
    );
}

function decisionCommand(parent: Command, name: 'approve' | 'reject'): Command {
  return clientCommand(parent, name)
    .argument('<execution>', 'execution id; -: ids from stdin')
    .option('--node <node>', 'node of the approval, if several are open')
    .option('--step <step>', 'step of a durable function, if several are open')
    .option('--user <user>', 'user who decides')
    .option('--comment <text>', 'reason for the decision')
    .option('--shown-hash <hash>', 'refuse to decide unless the approval shows this hash')
    .action(async (id: string, options: OneDecision) => {
      const [{ eachId }, { decideOne }] = await Promise.all([
        import('../lists/each-id.ts'),
        loadApproval(),
      ]);
      return eachId(id, (one) => decideOne(one, name, options));
    });
}

function clientCommand(parent: Command, name: string): Command {
  return addOutputOption(addRuntimeOptions(parent.command(name)));
}
