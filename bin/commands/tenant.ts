import type { WireTenant } from '../../src/shared/clients/svc/resource-client.ts';
import { connectResources, type ClientOptions } from '../cli/client.ts';
import { usageError } from '../cli/exit-code.ts';
import { readObjectOption } from '../cli/json-option.ts';
import { printFields, printJson, printLine } from '../cli/output.ts';
import { printPages, type PageOptions } from '../cli/lists/pages.ts';
import { printTable } from '../cli/print-table.ts';

export async function listTenants(options: ClientOptions & PageOptions): Promise<void> {
  const client = connectResources(options);
  await printPages(options, {
    read: (page) => client.listTenants({ ...page }),
    member: 'tenants',
    print: ({ tenants }) =>
      printTable({
        head: ['TENANT', 'NAME', 'STATUS'],
        rows: tenants.map((one) => [one.id, one.name, one.status]),
      }),
  });
}

export async function showTenant(id: string, options: ClientOptions): Promise<void> {
  print(await connectResources(options).readTenant(id), options);
}

export async function createTenant(
  id: string,
  options: ClientOptions & { readonly name?: string },
): Promise<void> {
  const created = await connectResources(options).createTenant({ id, name: options.name ?? id });
  if (options.output === 'json') printJson(created);
  else printLine(created.tenant_id);
}

export type UpdateTenantOptions = ClientOptions & {
  readonly name?: string;
  readonly status?: string;
  readonly policy?: string;
  readonly limits?: string;
};

export async function updateTenant(id: string, options: UpdateTenantOptions): Promise<void> {
  const { name, status, policy, limits } = options;
  const changes = {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(policy !== undefined && { policy: await readObjectOption('--policy', policy) }),
    ...(limits !== undefined && { limits: await readObjectOption('--limits', limits) }),
  };
  if (Object.keys(changes).length === 0) {
    throw usageError('nothing to change: add --name, --status, --policy or --limits');
  }
  print(await connectResources(options).updateTenant(id, changes), options);
}

function print(tenant: WireTenant, options: ClientOptions): void {
  if (options.output === 'json') printJson(tenant);
  else printFields({ ...tenant });
}
