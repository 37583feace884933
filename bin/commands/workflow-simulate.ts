import type { WireSimulation } from '../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../cli/client.ts';
import { readDefinitions, type SourceDefinition } from '../cli/definitions/read-definitions.ts';
import { factsOf } from '../cli/describe-event.ts';
import { CliError, EXIT, usageError } from '../cli/exit-code.ts';
import { readObjectOption } from '../cli/json-option.ts';
import { printJson, printLine, printNote } from '../cli/output.ts';
import { printTable } from '../cli/print-table.ts';

export type SimulateOptions = ClientOptions & {
  readonly input: string;
  readonly samples: string;
};

/** Prints the events, the end and the state of a run in memory. A run that fails exits with code 8. */
export async function simulateWorkflow(file: string, options: SimulateOptions): Promise<void> {
  const { ir } = onlyOne(file, await readDefinitions(file));
  const run = await connectClient(options).simulateWorkflow({
    ir,
    input: await readObjectOption('--input', options.input),
    samples: await readObjectOption('--samples', options.samples),
  });
  if (options.output === 'json') printJson(run);
  else printRun(run);
  if (!run.is_complete) {
    printNote('the run was cut off: does a loop of the workflow end?');
  }
  if (run.status === 'failed' || run.status === 'cancelled') {
    throw new CliError(`the run ${run.status}${run.error === null ? '' : `: ${run.error}`}`, {
      exitCode: EXIT.executionFailed,
    });
  }
}

function onlyOne(file: string, definitions: readonly SourceDefinition[]): SourceDefinition {
  const [only, ...others] = definitions;
  if (only !== undefined && others.length === 0) return only;
  const found = definitions.map(({ name }) => name).join(', ');
  throw usageError(`${file} has ${definitions.length} workflows, and one is simulated: ${found}`);
}

function printRun({ events, status, state, assumed }: WireSimulation): void {
  printTable({
    head: ['SEQUENCE', 'KIND', 'NODE', 'ATTEMPT', 'ERROR'],
    rows: events.map((event) => {
      const { attempt, error } = factsOf(event);
      return [event.sequence, event.kind, event.node_id, attempt, error];
    }),
  });
  printLine(`${status}: ${JSON.stringify(state)}`);
  if (assumed.length > 0) {
    printNote(`no sample, so the output is null: ${assumed.join(', ')}; add them with --samples`);
  }
}
