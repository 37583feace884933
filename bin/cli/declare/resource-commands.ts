import { Option, type Command } from 'commander';

import type { UpdateTenantOptions } from '../../commands/tenant.ts';
import { addPageOptions } from '../lists/pages.ts';
import { clientCommand } from './client-commands.ts';

const loadAgent = () => import('../../commands/agent.ts');
const loadTenant = () => import('../../commands/tenant.ts');
const loadArtifact = () => import('../../commands/artifact.ts');

/** Commands about agents, tenants and artifacts of a running runtime. */
export function declareResourceCommands(program: Command): void {
  declareAgentCommands(program);
  declareTenantCommands(program);
  declareArtifactCommands(program);

  clientCommand(program, 'open')
    .description('open the console, at an execution or a workflow')
    .argument('[id]', 'execution or workflow id')
    .option('--print', 'print the address only')
    .action(async (id, options) => (await import('../../commands/open.ts')).openPage(id, options));
}

function declareAgentCommands(program: Command): void {
  const agent = program.command('agent').description('register, inspect and activate agents');

  addPageOptions(clientCommand(agent, 'list'))
    .description('list agents, newest first')
    .addOption(
      new Option('--status <status>', 'only agents in this status').choices([
        'registered',
        'active',
        'paused',
        'deactivated',
      ]),
    )
    .action(async (options) => (await loadAgent()).listAgents(options));

  agentCommand(agent, 'show')
    .description('print an agent with its Agent Card')
    .action(async (id, options) => (await loadAgent()).showAgent(id, options));

  clientCommand(agent, 'register')
    .description('register an agent by its Agent Card')
    .argument('<file>', 'Agent Card in JSON or YAML; -: stdin')
    .action(async (file, options) => (await loadAgent()).registerAgent(file, options));

  clientCommand(agent, 'discover')
    .description('fetch the Agent Card at an address and register it')
    .argument('<address>', 'http or https address of the agent')
    .action(async (url, options) => (await loadAgent()).discoverAgent(url, options));

  agentCommand(agent, 'activate')
    .description('activate an agent')
    .action(async (id, options) => (await loadAgent()).setAgentActive(id, true, options));

  agentCommand(agent, 'deactivate')
    .description('deactivate an agent')
    .action(async (id, options) => (await loadAgent()).setAgentActive(id, false, options));
}

function declareTenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('create, inspect and change tenants');

  addPageOptions(clientCommand(tenant, 'list'))
    .description('list tenants by id')
    .action(async (options) => (await loadTenant()).listTenants(options));

  tenantCommand(tenant, 'show')
    .description('print a tenant with its policy and limits')
    .action(async (id, options) => (await loadTenant()).showTenant(id, options));

  tenantCommand(tenant, 'create')
    .description('create a tenant')
    .option('--name <name>', 'name for people; default: the id')
    .action(async (id, options) => (await loadTenant()).createTenant(id, options));

  tenantCommand(tenant, 'update')
    .description('change a tenant')
    .option('--name <name>', 'name for people')
    .addOption(
      new Option('--status <status>', 'whether it may work').choices([
        'active',
        'suspended',
        'archived',
      ]),
    )
    .option('--policy <json>', 'policy as JSON, or @file (@-: stdin); replaces the old one')
    .option('--limits <json>', 'limits as JSON, or @file (@-: stdin); replaces the old ones')
    .action(async (id: string, options: UpdateTenantOptions) =>
      (await loadTenant()).updateTenant(id, options),
    );
}

function declareArtifactCommands(program: Command): void {
  const artifact = program.command('artifact').description('store and fetch artifacts');

  clientCommand(artifact, 'put')
    .description('upload a file and print its hash')
    .argument('<file>', 'file; -: stdin')
    .option('--type <media-type>', 'media type of the content', 'application/octet-stream')
    .action(async (file, options) => (await loadArtifact()).putArtifact(file, options));

  artifactCommand(artifact, 'get')
    .description('download an artifact')
    .option('--file <file>', 'write to this new file instead of stdout')
    .action(async (hash, options) => (await loadArtifact()).getArtifact(hash, options));

  artifactCommand(artifact, 'show')
    .description('print size and media type of an artifact')
    .action(async (hash, options) => (await loadArtifact()).showArtifact(hash, options));
}

function agentCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<agent>', 'agent id');
}

function tenantCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<tenant>', 'tenant id');
}

function artifactCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<hash>', 'hash of the content: sha256:…');
}
