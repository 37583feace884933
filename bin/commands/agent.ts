import type { WireAgent } from '../../src/shared/clients/svc/resource-client.ts';
import { connectResources, type ClientOptions } from '../cli/client.ts';
import { printFields, printJson, printLine } from '../cli/output.ts';
import { printPages, type PageOptions } from '../cli/lists/pages.ts';
import { printTable } from '../cli/print-table.ts';
import { readDocument } from '../cli/read-document.ts';
import { usageError } from '../cli/exit-code.ts';
import { isJsonObject } from '../../src/shared/domain/json.ts';

export async function listAgents(
  options: ClientOptions & PageOptions & { readonly status?: string },
): Promise<void> {
  const client = connectResources(options);
  await printPages(options, {
    read: (page) => client.listAgents({ status: options.status ?? null, ...page }),
    member: 'agents',
    print: ({ agents }) =>
      printTable({
        head: ['AGENT', 'NAME', 'VERSION', 'STATUS', 'ADDRESS'],
        rows: agents.map((one) => [one.id, one.name, one.version, one.status, one.uri]),
      }),
  });
}

export async function showAgent(id: string, options: ClientOptions): Promise<void> {
  print(await connectResources(options).readAgent(id), options);
}

export async function registerAgent(file: string, options: ClientOptions): Promise<void> {
  const { name, value } = await readDocument(file);
  if (!isJsonObject(value)) throw usageError(`${name} is no Agent Card: it must be an object`);
  const registered = await connectResources(options).registerAgent(value);
  if (options.output === 'json') printJson(registered);
  else printLine(registered.agent_id);
}

export async function discoverAgent(url: string, options: ClientOptions): Promise<void> {
  const agent = await connectResources(options).discoverAgent(url);
  if (options.output === 'json') printJson(agent);
  else printLine(agent.id);
}

export async function setAgentActive(
  id: string,
  isActive: boolean,
  options: ClientOptions,
): Promise<void> {
  const answer = await connectResources(options).setAgentActive(id, isActive);
  if (options.output === 'json') printJson(answer);
  else printLine(`${answer.agent_id} is ${answer.status}`);
}

function print(agent: WireAgent, options: ClientOptions): void {
  if (options.output === 'json') printJson(agent);
  else printFields({ ...agent });
}
