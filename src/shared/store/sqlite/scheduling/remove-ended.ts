import type { LineName } from '../../flow.ts';
import type { Connection } from '../connection/connect.ts';

/** Executions that have ended leave the line. */
export function removeEnded(connection: Connection, { tenantId, placeKey }: LineName): void {
  connection.run(
    `delete from flow_waits
     where tenant_id = ?
       and place_key = ?
       and not exists (
         select 1
         from executions e
         where e.id = flow_waits.execution_id and e.status in ('running', 'paused')
       )`,
    [tenantId, placeKey],
  );
}
