import { artifactName } from '../../src/shared/domain/artifact.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { ImportPlan } from '../support/import-variants.ts';
import type { Request } from './network.ts';
import type { Client } from './requests.ts';

/** See `GET /executions/:id/export`. */
export function askToExport(by: Client, of: { readonly executionId: string }): Request {
  return {
    ...by,
    asks: { do: 'export', ...of },
    serve: async (engine) => {
      const tenantId = by.tenantId as TenantId;
      let text = '';
      for await (const piece of await engine.exportExecution({ tenantId, ...of })) text += piece;
      return { body: JSON.parse(text) as JsonObject };
    },
  };
}

/** See `POST /executions/import`. */
export function askToImport(by: Client, { asks, document }: ImportPlan): Request {
  return {
    ...by,
    asks,
    serve: async (engine) => {
      const imported = await engine.importExecution({
        tenantId: by.tenantId as TenantId,
        actorId: `token:${by.client}`,
        document,
      });
      const body = {
        execution_id: imported.executionId,
        status: imported.status,
        events: imported.events,
        imported: imported.isNew,
        restored: imported.isRestored,
        missing_artifacts: imported.missing.map(artifactName),
      };
      return { status: imported.isNew ? 201 : 200, body };
    },
  };
}
