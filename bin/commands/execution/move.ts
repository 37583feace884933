import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printJson, printLine } from '../../cli/output.ts';

export async function moveExecution(
  executionId: string,
  options: ClientOptions & {
    /** `-`: the one that claims the next turn. */
    readonly build: string;
    readonly node?: string;
  },
): Promise<void> {
  const { node } = options;
  const build = options.build === '-' ? null : options.build;
  const moved = await connectClient(options).moveExecution(executionId, {
    build_id: build,
    ...(node !== undefined && { node_id: node }),
  });
  if (options.output === 'json') return printJson(moved);
  const to = build === null ? 'the build of its next turn' : `build ${build}`;
  if (moved.moved.length === 0) printLine(`${moved.execution_id} has no function to move`);
  for (const { node_id: id, visit, from } of moved.moved) {
    printLine(`${id} (visit ${visit}) moves from build ${from} to ${to}`);
  }
}
