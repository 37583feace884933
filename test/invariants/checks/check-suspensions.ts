import { claimsOf } from './check-claims.ts';
import { textIn, type Dump } from '../dump.ts';
import { actorOf, deedsOf, isBefore, success, wasRefused, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Suspended tenants: nothing is handed out, and the audit log names the actor of each change. */
export function checkSuspensions(dump: Dump, history: History): Violation[] {
  return [...checkHandedOut(history), ...checkWrittenDown(dump, history)];
}

/** Applies from the answer to the suspension until a client asks for the activation. */
function checkHandedOut(history: History): Violation[] {
  const changes = deedsOf(history, 'set_status');
  const claims = claimsOf(history);
  return violations(
    'nothing is handed out to a suspended tenant',
    changes.filter((deed) => deed.asks.status === 'suspended' && success(deed) !== null),
    (suspended) => {
      const { tenantId } = suspended;
      const activations = changes.filter(
        (deed) => deed.tenantId === tenantId && deed.asks.status === 'active',
      );
      const claim = claims.find(
        ({ deed }) =>
          deed.tenantId === tenantId &&
          isBefore(suspended, deed) &&
          activations.every(({ begun }) => begun > (deed.ended ?? Infinity)),
      );
      if (claim === undefined) return null;
      return {
        about: { tenant: tenantId, work_item: claim.workItemId, deed: claim.deed.begun },
        saw: `handed out under fence ${claim.fence}`,
      };
    },
  );
}

function checkWrittenDown(dump: Dump, history: History): Violation[] {
  if (dump.audit_log === undefined) return [];
  const rows = dump.audit_log.filter((row) => row.event_type === 'tenant_updated');
  const changes = Map.groupBy(
    deedsOf(history, 'set_status'),
    (deed) => `${actorOf(deed)} ${deed.asks.status}`,
  );
  return violations(
    'a change of a tenant is one entry of the audit log',
    changes,
    ([name, deeds]) => {
      const accepted = deeds.filter((deed) => success(deed) !== null).length;
      const open = deeds.filter((deed) => success(deed) === null && !wasRefused(deed)).length;
      const found = rows.filter(
        (row) => `${row.actor_id} ${textIn(row.payload, 'status')}` === name,
      ).length;
      if (found >= accepted && found <= accepted + open) return null;
      return { about: { of: name }, saw: `written down ${found} times, accepted ${accepted}` };
    },
  );
}
