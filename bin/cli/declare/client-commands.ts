import { Argument, Option, type Command } from 'commander';

import type { BulkOptions } from '../../commands/execution/bulk.ts';
import type { EventsOptions } from '../../commands/execution/events.ts';
import type { StartOptions } from '../../commands/execution/start.ts';
import { addOutputOption } from '../output-option.ts';
import { parseCount, parseInstant } from '../parse-option.ts';

const loadWorkflow = () => import('../../commands/workflow.ts');
const loadWorkflowPauses = () => import('../../commands/workflow-pause.ts');
const loadExecution = () => import('../../commands/execution/execution.ts');
const loadPauses = () => import('../../commands/execution/pause.ts');

/** Written out: the command line is read before anything of the program is loaded. */
const EXECUTION_STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled'];

/** Commands that talk to a running runtime over its HTTP API. */
export function declareClientCommands(program: Command): void {
  declareWorkflowCommands(program);
  declareExecutionCommands(program);
  declareWorkItemCommands(program);
}

function declareWorkflowCommands(program: Command): void {
  const workflow = program.command('workflow').description('register, look up and pause workflows');

  clientCommand(workflow, 'register')
    .description('register a workflow definition')
    .argument('<file>', 'JSON or YAML file; -: stdin')
    .option('--strict', 'take warnings for errors')
    .action(async (file, options) => (await loadWorkflow()).registerWorkflow(file, options));

  clientCommand(workflow, 'list')
    .description('list the registered workflows, newest first')
    .option('--limit <count>', 'print at most this many', parseCount)
    .option('--offset <count>', 'leave out this many', parseCount)
    .action(async (options) => (await loadWorkflow()).listWorkflows(options));

  clientCommand(workflow, 'show')
    .description('print a workflow and its definition')
    .argument('<workflow>', 'workflow id')
    .option('--version <label>', 'that version instead of the one registered last')
    .action(async (id, options) => (await loadWorkflow()).showWorkflow(id, options));

  clientCommand(workflow, 'pause')
    .description(
      'pause a workflow in all its versions: nothing of it goes on, what is started waits',
    )
    .argument('<workflow>', 'workflow id')
    .option('--reason <text>', 'why, for whoever wonders later')
    .action(async (id, options) => (await loadWorkflowPauses()).pauseWorkflow(id, options));

  clientCommand(workflow, 'resume')
    .description('let a workflow go on that was paused')
    .argument('<workflow>', 'workflow id')
    .action(async (id, options) => (await loadWorkflowPauses()).resumeWorkflow(id, options));
}

function declareExecutionCommands(program: Command): void {
  const execution = program.command('execution').description('start and steer executions');

  clientCommand(execution, 'start')
    .description('start an execution and print its id')
    .argument('<workflow>', 'workflow id')
    .option('--input <json>', 'input object as JSON, or @file (@-: stdin)', '{}')
    .option('--version <label>', 'that version instead of the one registered last')
    .option('--idempotency-key <key>', 'starting again with this key answers the same execution')
    .option('--wait', 'wait for the end, print the execution; exit code 8 when it fails')
    .action(async (workflowId: string, options: StartOptions) => {
      const { startExecution } = await import('../../commands/execution/start.ts');
      return startExecution(workflowId, options);
    });

  clientCommand(execution, 'list')
    .description('list executions, newest first')
    .addOption(
      new Option('--status <status>', 'only those in this status').choices(EXECUTION_STATUSES),
    )
    .option('--workflow <workflow>', 'only those of this workflow')
    .option('--limit <count>', 'print at most this many', parseCount)
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(async (options) => (await loadExecution()).listExecutions(options));

  executionCommand(execution, 'show')
    .description('print an execution with its state')
    .action(async (id, options) => (await loadExecution()).showExecution(id, options));

  executionCommand(execution, 'explain')
    .description('print why an execution does not move, or how it ended')
    .action(async (id, options) => {
      const { explainExecution } = await import('../../commands/execution/explain.ts');
      return explainExecution(id, options);
    });

  executionCommand(execution, 'events')
    .description('print the events of an execution')
    .option('--after <sequence>', 'only those after this sequence', parseCount, 0)
    .addOption(
      new Option('--limit <count>', 'print at most this many')
        .argParser(parseCount)
        .conflicts('follow'),
    )
    .option('--follow', 'go on with new events until the execution ends')
    .action(async (id: string, options: EventsOptions) => {
      const { showEvents } = await import('../../commands/execution/events.ts');
      return showEvents(id, options);
    });

  executionCommand(execution, 'export')
    .description('write a whole execution as one JSON document')
    .option('--file <file>', 'into this new file instead of stdout')
    .action(async (id, options) => {
      const { exportExecution } = await import('../../commands/execution/export.ts');
      return exportExecution(id, options);
    });

  addOutputOption(execution.command('check-export'))
    .description('check, offline, that an exported execution is as it was written')
    .argument('<file>', 'the file; -: stdin')
    .action(async (file, options) => {
      const { checkExport } = await import('../../commands/execution/export.ts');
      return checkExport(file, options);
    });

  clientCommand(execution, 'import')
    .description('take in executions that have ended, for reading; starts nothing')
    .argument('<file>', 'an export (-: stdin), or an archive of retention, named .jsonl.gz')
    .option('--execution <id>', 'only this one of an archive')
    .action(async (file, options) => {
      const { importExecutions } = await import('../../commands/execution/import.ts');
      return importExecutions(file, options);
    });

  executionCommand(execution, 'cancel')
    .description('cancel an execution')
    .action(async (id, options) => (await loadExecution()).cancelExecution(id, options));

  executionCommand(execution, 'pause')
    .description('pause an execution: what happens is recorded, and nothing follows from it')
    .option('--reason <text>', 'why, for whoever wonders later')
    .action(async (id, options) => (await loadPauses()).pauseExecution(id, options));

  executionCommand(execution, 'resume')
    .description('let an execution go on that was paused')
    .action(async (id, options) => (await loadPauses()).resumeExecution(id, options));

  executionCommand(execution, 'retry')
    .description('go on, as another execution, where one has failed or was cancelled')
    .option('--state-patch <json>', 'changes to the state as JSON, or @file (@-: stdin)')
    .option('--latest', 'on the definition registered last instead of its own')
    .action(async (id, options) => {
      const { retryExecution } = await import('../../commands/execution/retry.ts');
      return retryExecution(id, options);
    });

  clientCommand(execution, 'bulk')
    .description('cancel, pause, resume or retry many executions; without --yes print which')
    .addArgument(
      new Argument('<action>', 'what to do').choices(['cancel', 'pause', 'resume', 'retry']),
    )
    .option('--workflow <workflow>', 'only those of this workflow')
    .addOption(
      new Option('--status <status>', 'only those in this status').choices(EXECUTION_STATUSES),
    )
    .option('--parent <execution>', 'only the children of this execution')
    .option('--created-after <instant>', 'only those begun from this instant on', parseInstant)
    .option('--created-before <instant>', 'only those begun before this instant', parseInstant)
    .option('--reason <text>', 'why they are paused')
    .option('--limit <count>', 'act on at most this many', parseCount)
    .option('--yes', 'do it')
    .action(async (action: string, options: BulkOptions) => {
      const { bulkExecutions } = await import('../../commands/execution/bulk.ts');
      return bulkExecutions(action, options);
    });

  executionCommand(execution, 'approvals')
    .description('show what waits for a decision, with tool and arguments')
    .action(async (id, options) => {
      const { listApprovals } = await import('../../commands/execution/approvals.ts');
      return listApprovals(id, options);
    });

  executionCommand(execution, 'approve')
    .description('show what an open approval is about, and decide it')
    .option('--reject', 'reject instead of approving')
    .option('--node <node>', 'which one, when several are open')
    .option('--user <user>', 'who decided')
    .option('--comment <text>', 'why')
    .option('--shown-hash <hash>', 'refuse to decide on anything but what has this hash')
    .option('--state-patch <json>', 'changes to the state as JSON, or @file; on approval only')
    .action(async (id, options) => (await loadExecution()).approveExecution(id, options));

  executionCommand(execution, 'send-event')
    .description('send an external event to an execution')
    .argument('<correlation-key>', 'key of the wait it is meant for')
    .option('--payload <json>', 'payload as JSON, or @file (@-: stdin)', '{}')
    .action(async (id, key, options) => (await loadExecution()).sendEvent(id, key, options));
}

function declareWorkItemCommands(program: Command): void {
  const workItem = program.command('work-item').description('look after dead-lettered work items');
  const load = () => import('../../commands/work-item.ts');

  letterCommand(workItem, 'list')
    .description('list dead-lettered work items, newest first')
    .option('--limit <count>', 'print at most this many', parseCount)
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(async (options) => (await load()).listDeadLetters(options));

  clientCommand(workItem, 'requeue')
    .description('put a dead-lettered work item back on its queue, attempts counted anew')
    .argument('<work-item>', 'work item id')
    .action(async (id, options) => (await load()).requeueWorkItem(id, options));

  letterCommand(workItem, 'requeue-all')
    .description('put dead-lettered work items back on their queues; without --yes print which')
    .option('--limit <count>', 'at most this many', parseCount)
    .option('--yes', 'do it')
    .action(async (options) => (await load()).requeueAll(options));
}

function letterCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name)
    .option('--workflow <workflow>', 'only those of executions of this workflow')
    .option('--node <node>', 'only those of this node')
    .option('--before <instant>', 'only those dead-lettered before this instant', parseInstant);
}

function executionCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<execution>', 'execution id');
}

function clientCommand(parent: Command, name: string): Command {
  return addOutputOption(addRuntimeOptions(parent.command(name)));
}

/** Where the runtime is, and the token for it. */
export function addRuntimeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'address of the runtime')
        .env('SVC_URL')
        .default('http://127.0.0.1:7700'),
    )
    .addOption(tokenOption());
}

export function tokenOption(): Option {
  return new Option('--token <token>', 'API token').env('SVC_TOKEN');
}
