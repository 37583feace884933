import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { connectClient, apiTarget, type ClientOptions } from '../cli/client.ts';
import { printJson, printLine, printNote } from '../cli/output.ts';

export type OpenOptions = ClientOptions & { readonly print?: boolean };

/** Opens the page of an execution or a workflow, or of no id the first page; elsewhere prints it. */
export async function openPage(id: string | undefined, options: OpenOptions): Promise<void> {
  const page = `${apiTarget(options).url}/console${id === undefined ? '/' : await pathOf(id, options)}`;
  if (options.output === 'json') return printJson({ url: page });
  printLine(page);
  if (options.print === true || !process.stdout.isTTY) return;
  if (!(await startBrowser(page))) printNote('no browser could be started: open the address above');
}

/** The runtime is asked, so that a mistyped id ends here and not on an empty page. */
async function pathOf(id: string, options: ClientOptions): Promise<string> {
  const client = connectClient(options);
  if (/^exec_[0-9a-f]{32}$/.test(id)) {
    await client.readExecution(id);
    return `/executions/${id}`;
  }
  await client.readWorkflow({ workflowId: id, version: null });
  return `/workflows/${encodeURIComponent(id)}`;
}

const BROWSERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  linux: 'xdg-open',
};

async function startBrowser(page: string): Promise<boolean> {
  const program = BROWSERS[process.platform];
  if (program === undefined) return false;
  const child = spawn(program, [page], { stdio: 'ignore', detached: true });
  child.unref();
  try {
    await once(child, 'spawn');
    return true;
  } catch {
    return false;
  }
}
