import { connectClient, type ClientOptions } from '../cli/client.ts';
import { readDefinitions } from '../cli/definitions/read-definitions.ts';
import { printFields, printJson, printLine, printNote } from '../cli/output.ts';
import { printList } from '../cli/lists/print-list.ts';
import type { WireRegistered } from '../../src/shared/clients/svc/wire.ts';

export async function registerWorkflow(
  file: string,
  options: ClientOptions & { readonly strict?: true },
): Promise<void> {
  const client = connectClient(options);
  const definitions = await readDefinitions(file);
  const answers: WireRegistered[] = [];
  for (const { ir, name } of definitions) {
    const answer = await client
      .registerWorkflow(ir, { strict: options.strict === true })
      .catch((error: unknown) => {
        if (answers.length > 0) printNote(`${name} is refused; those before it are registered`);
        throw error;
      });
    answers.push(answer);
    tellWarnings(answer);
    if (options.output !== 'json') printRegistered(answer);
  }
  const [only, ...others] = answers;
  if (options.output !== 'json') return;
  printJson(others.length === 0 ? only : { workflows: answers });
}

/** On stderr, so that a script that reads the answer alone shows them too. */
function tellWarnings({ workflow_id: id, warnings = [] }: WireRegistered): void {
  for (const { pointer, message } of warnings) {
    printNote(`warning: ${pointer || '/'}: ${message}`);
  }
  if (warnings.length === 0) return;
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  printNote(
    `${id} is registered in spite of ${count}: correct them, or refuse such definitions with --strict`,
  );
}

function printRegistered(answer: WireRegistered): void {
  const revision = answer.revision === undefined ? '' : `, revision ${answer.revision}`;
  printLine(`registered ${answer.workflow_id} ${answer.version}${revision}`);
}

export async function listWorkflows(
  options: ClientOptions & { readonly limit?: number; readonly offset?: number },
): Promise<void> {
  const { limit = null, offset = null } = options;
  const answer = await connectClient(options).listWorkflows({ limit, offset });
  if (options.output === 'json') return printJson(answer);
  printList({
    member: 'workflows',
    head: ['WORKFLOW', 'VERSION', 'REVISION', 'REGISTERED', 'PAUSE'],
    rows: answer.workflows.map((row) => [
      row.workflow_id,
      row.version,
      row.revision,
      row.created_at,
      row.pause?.state ?? '',
    ]),
  });
}

export async function showWorkflow(
  workflowId: string,
  options: ClientOptions & { readonly version?: string },
): Promise<void> {
  const version = options.version ?? null;
  const answer = await connectClient(options).readWorkflow({ workflowId, version });
  if (options.output === 'json') printJson(answer);
  else printFields({ ...answer });
}
