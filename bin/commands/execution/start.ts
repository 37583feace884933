import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { RULE_KINDS } from '../../../src/shared/domain/workflow/flow/rule-kinds.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { usageError } from '../../cli/exit-code.ts';
import { readObjectOption } from '../../cli/json-option.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { awaitLastRun, refuseUnlessCompleted } from './await-end.ts';
import { printExecution } from './execution.ts';

export interface StartOptions extends ClientOptions {
  readonly input: string;
  readonly version?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly after?: string;
  readonly deadline?: string;
  readonly flow?: string;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

export async function startExecution(workflowId: string, options: StartOptions): Promise<void> {
  const client = connectClient(options);
  const started = await client.startExecution({
    workflowId,
    version: options.version ?? null,
    labels: options.label ?? null,
    startAfter: options.after ?? null,
    startDeadline: options.deadline ?? null,
    startRules: options.flow === undefined ? null : await readRules(options.flow),
    input: await readObjectOption('--input', options.input),
    idempotencyKey: options.idempotencyKey ?? null,
  });
  if (options.wait === true) {
    tellId(started.execution_id, options);
    const ended = await awaitLastRun(client, started.execution_id);
    printExecution(ended, options);
    refuseUnlessCompleted(ended);
  } else if (options.output === 'json') {
    printJson(started);
  } else {
    printLine(started.execution_id);
  }
}

async function readRules(text: string): Promise<JsonObject> {
  const rules = await readObjectOption('--flow', text);
  const unknown = Object.keys(rules).find((kind) => !KINDS.includes(kind));
  if (unknown === undefined) return rules;
  throw usageError(`--flow has ${unknown}, and may have ${KINDS.join(', ')}`);
}

const KINDS: readonly string[] = RULE_KINDS;

/**
 * A user who stops waiting still knows the id of the execution. A terminal shows the id while it
 * waits; with JSON, stdout has only the one document at the end.
 */
function tellId(executionId: string, { output }: StartOptions): void {
  if (output === 'json') printNote(executionId);
  else if (!process.stdout.isTTY) printLine(executionId);
}
