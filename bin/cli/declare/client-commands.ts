import { Argument, Option, type Command } from 'commander';

import type { BulkOptions } from '../../commands/execution/bulk.ts';
import type { CountOptions } from '../../commands/execution/count.ts';
import type { EventsOptions } from '../../commands/execution/events.ts';
import type { ResultOptions } from '../../commands/execution/result.ts';
import type { StateOptions } from '../../commands/execution/state.ts';
import type { StartManyOptions } from '../../commands/execution/start-many.ts';
import type { SimulateOptions } from '../../commands/workflow-simulate.ts';
import type { StartOptions } from '../../commands/execution/start.ts';
import { addPageOptions } from '../lists/pages.ts';
import { addOutputOption } from '../output-option.ts';
import { addWatchOption, watched } from '../lists/watched.ts';
import { parseCount, parseInstant, parseLabel } from '../parse-option.ts';

const loadWorkflow = () => import('../../commands/workflow.ts');
const loadWorkflowPauses = () => import('../../commands/workflow-pause.ts');
const loadExecution = () => import('../../commands/execution/execution.ts');
const loadPauses = () => import('../../commands/execution/pause.ts');

/** Written out: the command line is read before anything of the program is loaded. */
const EXECUTION_STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled'];

const QUERY_HELP = 'only executions that fit this query: status = failed and started > -2h';

/** Commands that talk to a running runtime over its HTTP API. */
export function declareClientCommands(program: Command): void {
  declareWorkflowCommands(program);
  declareExecutionCommands(program);
  declareWorkItemCommands(program);
}

function declareWorkflowCommands(program: Command): void {
  const workflow = program
    .command('workflow')
    .description('register, simulate, inspect and pause workflows');

  clientCommand(workflow, 'register')
    .description('register the workflow definitions of a file')
    .argument('<file>', 'JSON, YAML, TypeScript or JavaScript file; -: stdin')
    .option('--strict', 'treat warnings as errors')
    .action(async (file, options) => (await loadWorkflow()).registerWorkflow(file, options));

  clientCommand(workflow, 'simulate')
    .description('run a workflow definition in memory with sample outputs')
    .argument('<file>', 'JSON, YAML, TypeScript or JavaScript file; -: stdin')
    .option('--input <json>', 'input object as JSON, or @file (@-: stdin)', '{}')
    .option('--samples <json>', 'what each node does, by its id, as JSON, or @file', '{}')
    .action(async (file: string, options: SimulateOptions) => {
      const { simulateWorkflow } = await import('../../commands/workflow-simulate.ts');
      return simulateWorkflow(file, options);
    });

  clientCommand(workflow, 'list')
    .description('list the registered workflows, newest first')
    .option('--limit <count>', 'print at most this many', parseCount)
    .option('--offset <count>', 'skip this many', parseCount)
    .action(async (options) => (await loadWorkflow()).listWorkflows(options));

  clientCommand(workflow, 'show')
    .description('print a workflow and its definition')
    .argument('<workflow>', 'workflow id')
    .option('--version <label>', 'this version instead of the latest registered one')
    .action(async (id, options) => (await loadWorkflow()).showWorkflow(id, options));

  clientCommand(workflow, 'pause')
    .description('pause every version of a workflow: running executions are held, new starts wait')
    .argument('<workflow>', 'workflow id')
    .option('--reason <text>', 'reason for the pause')
    .action(async (id, options) => (await loadWorkflowPauses()).pauseWorkflow(id, options));

  clientCommand(workflow, 'resume')
    .description('resume a paused workflow')
    .argument('<workflow>', 'workflow id')
    .action(async (id, options) => (await loadWorkflowPauses()).resumeWorkflow(id, options));
}

function declareExecutionCommands(program: Command): void {
  const execution = program
    .command('execution')
    .description('start, inspect and control executions');

  clientCommand(execution, 'start')
    .description('start an execution and print its id')
    .argument('<workflow>', 'workflow id')
    .option('--input <json>', 'input object as JSON, or @file (@-: stdin)', '{}')
    .option('--version <label>', 'this version instead of the latest registered one')
    .option('--label <name=value>', 'label of the execution; may be repeated', parseLabel)
    .option(
      '--after <time>',
      'begin then: 10m from now, or an instant such as 2030-01-31T09:00:00Z',
    )
    .option('--deadline <time>', 'fail unless it has begun by then; in the same forms')
    .option('--flow <json>', 'concurrency, rate, debounce, batch, fairness: JSON or @file')
    .option('--idempotency-key <key>', 'repeat a start with this key to get the same execution')
    .option('--wait', 'wait for the end and print the execution; exit code 8 if it fails')
    .action(async (workflowId: string, options: StartOptions) => {
      const { startExecution } = await import('../../commands/execution/start.ts');
      return startExecution(workflowId, options);
    });

  clientCommand(execution, 'start-many')
    .description('start an execution for each line of a file')
    .argument('<file>', 'file with a JSON object on each line; -: stdin')
    .option('--workflow <workflow>', 'workflow of the lines that name none')
    .option(
      '--idempotency-key <key>',
      'start of the keys of lines without one; the line number follows',
    )
    .action(async (file: string, options: StartManyOptions) => {
      const { startManyExecutions } = await import('../../commands/execution/start-many.ts');
      return startManyExecutions(file, options);
    });

  addPageOptions(addWatchOption(clientCommand(execution, 'list')))
    .description('list executions, newest first')
    .addOption(
      new Option('--status <status>', 'only executions in this status').choices(EXECUTION_STATUSES),
    )
    .option('--workflow <workflow>', 'only executions of this workflow')
    .option('-q, --query <query>', QUERY_HELP)
    .action(watched(async (options) => (await loadExecution()).listExecutions(options)));

  addWatchOption(clientCommand(execution, 'count'))
    .description('count executions by status or another field')
    .option('--by <field>', 'status, workflow, version, or a label such as labels.customer')
    .option('--workflow <workflow>', 'only executions of this workflow')
    .option('-q, --query <query>', QUERY_HELP)
    .action(
      watched(async (options: CountOptions) => {
        const { countExecutions } = await import('../../commands/execution/count.ts');
        return countExecutions(options);
      }),
    );

  addWatchOption(executionCommand(execution, 'show'))
    .description('print an execution with its state')
    .action(watched(async (id, options) => (await loadExecution()).showExecution(id, options)));

  addWatchOption(executionCommand(execution, 'explain'))
    .description('print why an execution waits, or how it ended')
    .action(
      watched(async (id, options) => {
        const { explainExecution } = await import('../../commands/execution/explain.ts');
        return explainExecution(id, options);
      }),
    );

  executionCommand(execution, 'result')
    .description('print the output of an execution; exit code 8 if it failed')
    .option('--wait', 'wait for the end of the execution')
    .action(async (id: string, options: ResultOptions) => {
      const { showResult } = await import('../../commands/execution/result.ts');
      return showResult(id, options);
    });

  executionCommand(execution, 'state')
    .description('print the state as it was')
    .option(
      '--at <moment>',
      'after this event, by its sequence, or at this time; default: the last',
    )
    .addOption(
      new Option('--diff <moment>', 'print the changes since this event or time').conflicts(
        'blame',
      ),
    )
    .option('--blame', 'print which event set each key last, and who caused it')
    .action(async (id: string, options: StateOptions) => {
      const { showState } = await import('../../commands/execution/state.ts');
      return showState(id, options);
    });

  executionCommand(execution, 'events')
    .description('print the events of an execution')
    .option('--after <sequence>', 'only events after this sequence', parseCount, 0)
    .addOption(
      new Option('--limit <count>', 'print at most this many')
        .argParser(parseCount)
        .conflicts('follow'),
    )
    .option('--follow', 'print new events until the execution ends')
    .action(async (id: string, options: EventsOptions) => {
      const { showEvents } = await import('../../commands/execution/events.ts');
      return showEvents(id, options);
    });

  executionCommand(execution, 'export')
    .description('export an execution as one JSON document')
    .option('--file <file>', 'write to this new file instead of stdout')
    .action(async (id, options) => {
      const { exportExecution } = await import('../../commands/execution/export.ts');
      return exportExecution(id, options);
    });

  addOutputOption(execution.command('check-export'))
    .description('check offline that an exported execution is unchanged')
    .argument('<file>', 'exported file; -: stdin')
    .action(async (file, options) => {
      const { checkExport } = await import('../../commands/execution/export.ts');
      return checkExport(file, options);
    });

  clientCommand(execution, 'import')
    .description('import ended executions for reading; starts nothing')
    .argument('<file>', 'an export (-: stdin), or a retention archive named .jsonl.gz')
    .option('--execution <id>', 'import only this execution of an archive')
    .action(async (file, options) => {
      const { importExecutions } = await import('../../commands/execution/import.ts');
      return importExecutions(file, options);
    });

  executionsCommand(execution, 'cancel')
    .description('cancel an execution')
    .action(async (id, options) => {
      const { cancelExecutions } = await import('../../commands/execution/cancel.ts');
      return cancelExecutions(id, options);
    });

  executionsCommand(execution, 'pause')
    .description('pause an execution: events are recorded, no new step starts')
    .option('--reason <text>', 'reason for the pause')
    .action(async (id, options) => {
      const { pauseExecution } = await loadPauses();
      return eachId(id, (one) => pauseExecution(one, options));
    });

  executionsCommand(execution, 'resume')
    .description('resume a paused execution')
    .action(async (id, options) => {
      const { resumeExecution } = await loadPauses();
      return eachId(id, (one) => resumeExecution(one, options));
    });

  executionCommand(execution, 'move')
    .description('move pinned functions to another build of their workers')
    .requiredOption('--build <build>', 'the build; -: the one that claims the next turn')
    .option('--node <node>', 'only functions of this node')
    .action(async (id, options) => {
      const { moveExecution } = await import('../../commands/execution/move.ts');
      return moveExecution(id, options);
    });

  executionsCommand(execution, 'retry')
    .description('retry a failed or cancelled execution as a new one')
    .option('--state-patch <json>', 'changes to the state as JSON, or @file (@-: stdin)')
    .option('--latest', 'use the latest registered definition instead of its own')
    .action(async (id, options) => {
      const { retryExecution } = await import('../../commands/execution/retry.ts');
      return eachId(id, (one) => retryExecution(one, options));
    });

  executionCommand(execution, 'fork')
    .description('start a new execution that carries another one up to a point')
    .requiredOption(
      '--at <point>',
      'a node (charge, node:12), which runs again, or the last event to keep (12)',
    )
    .option('--visit <visit>', 'which visit of the node; the last one unless given', parseCount)
    .option('--failed-items', 'run only the failed items of a map again')
    .option('--patch <json>', 'changes to the state as JSON, or @file (@-: stdin)')
    .option('--latest', 'use the latest registered definition instead of its own')
    .option('--dry-run', 'show what the fork would keep and run; start nothing')
    .action(async (id, options) => {
      const { forkExecution } = await import('../../commands/execution/forks/fork.ts');
      return forkExecution(id, options);
    });

  addPageOptions(executionCommand(execution, 'forks'))
    .description('list the forks of an execution, newest first')
    .action(async (id, options) => {
      const { listForks } = await import('../../commands/execution/forks/forks.ts');
      return listForks(id, options);
    });

  executionCommand(execution, 'diff')
    .description('compare two executions, node by node')
    .argument('<other>', 'the execution to compare with')
    .action(async (id, other, options) => {
      const { diffExecutions } = await import('../../commands/execution/forks/diff.ts');
      return diffExecutions(id, other, options);
    });

  clientCommand(execution, 'bulk')
    .description('cancel, pause, resume or retry many executions; without --yes, list them')
    .addArgument(new Argument('<action>', 'action').choices(['cancel', 'pause', 'resume', 'retry']))
    .option('--workflow <workflow>', 'only executions of this workflow')
    .addOption(
      new Option('--status <status>', 'only executions in this status').choices(EXECUTION_STATUSES),
    )
    .option('--parent <execution>', 'only the children of this execution')
    .option(
      '--created-after <instant>',
      'only executions that began at this instant or later',
      parseInstant,
    )
    .option(
      '--created-before <instant>',
      'only executions that began before this instant',
      parseInstant,
    )
    .option('-q, --query <query>', QUERY_HELP)
    .option('--reason <text>', 'reason for the pause')
    .option('--limit <count>', 'act on at most this many', parseCount)
    .option('--yes', 'act instead of listing')
    .action(async (action: string, options: BulkOptions) => {
      const { bulkExecutions } = await import('../../commands/execution/bulk.ts');
      return bulkExecutions(action, options);
    });

  executionCommand(execution, 'approvals')
    .description('list open approvals with their tool and arguments')
    .action(async (id, options) => {
      const { listApprovals } = await import('../../commands/execution/approvals.ts');
      return listApprovals(id, options);
    });

  executionCommand(execution, 'approve')
    .description('show an open approval and decide it')
    .option('--reject', 'reject instead of approving')
    .option('--node <node>', 'node of the approval, if several are open')
    .option('--step <step>', 'step of a durable function, if several are open')
    .option('--user <user>', 'user who decides')
    .option('--comment <text>', 'reason for the decision')
    .option('--shown-hash <hash>', 'refuse to decide unless the approval shows this hash')
    .option('--state-patch <json>', 'changes to the state as JSON, or @file; on approval only')
    .action(async (id, options) => (await loadExecution()).approveExecution(id, options));

  executionCommand(execution, 'send-event')
    .description('send an external event to an execution')
    .argument('<correlation-key>', 'key of the wait that receives the event')
    .option('--payload <json>', 'payload as JSON, or @file (@-: stdin)', '{}')
    .action(async (id, key, options) => (await loadExecution()).sendEvent(id, key, options));
}

function declareWorkItemCommands(program: Command): void {
  const workItem = program
    .command('work-item')
    .description('list, show and requeue dead-lettered work items');
  const load = () => import('../../commands/work-item.ts');

  addPageOptions(addWatchOption(letterCommand(workItem, 'list')))
    .description('list dead-lettered work items, newest first')
    .action(watched(async (options) => (await load()).listDeadLetters(options)));

  clientCommand(workItem, 'show')
    .description('show a dead-lettered work item: its input, its failures, and what can be done')
    .argument('<work-item>', 'work item id')
    .action(async (id, options) => (await load()).showDeadLetter(id, options));

  clientCommand(workItem, 'requeue')
    .description('requeue a dead-lettered work item with fresh attempts')
    .argument('<work-item>', 'work item id; -: ids from stdin')
    .action(async (id, options) => {
      const { requeueWorkItem } = await load();
      return eachId(id, (one) => requeueWorkItem(one, options));
    });

  letterCommand(workItem, 'requeue-all')
    .description('requeue dead-lettered work items; without --yes, list them')
    .option('--limit <count>', 'requeue at most this many', parseCount)
    .option('--yes', 'act instead of listing')
    .action(async (options) => (await load()).requeueAll(options));
}

function letterCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name)
    .option('--workflow <workflow>', 'only items of this workflow')
    .option('--node <node>', 'only items of this node')
    .option('--before <instant>', 'only items dead-lettered before this instant', parseInstant);
}

/** `-` stands for the ids on stdin. */
function executionsCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<execution>', 'execution id; -: ids from stdin');
}

/** Loaded when a command acts. */
async function eachId(id: string, act: (id: string) => Promise<void>): Promise<void> {
  return (await import('../lists/each-id.ts')).eachId(id, act);
}

function executionCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<execution>', 'execution id');
}

/** A command that talks to a running runtime. */
export function clientCommand(parent: Command, name: string): Command {
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
