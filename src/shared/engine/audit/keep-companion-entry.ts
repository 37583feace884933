import { redactObject } from '../../domain/data-policy/redact.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { ExecutionRow } from '../../store/store.ts';
import type { EngineDeps } from '../deps.ts';

/**
 * Keeps an entry of a companion's audit advisor that comes after the end of its execution, when no
 * event may follow any more: as an item of the audit log (`companion_prompt`, `companion_response`).
 * Every reader of the tenant sees such an item, so it is kept as the workflow's data policy lets the
 * execution's state be seen. False: it is no such entry.
 */
export async function keepCompanionEntry(
  deps: EngineDeps,
  of: { readonly row: ExecutionRow; readonly payload: JsonValue; readonly actorId: string },
): Promise<boolean> {
  const { row, payload, actorId } = of;
  if (!isCompanionEntry(payload)) return false;
  const { plan } = await deps.definitions.get(row.definitionId);
  const policy = plan.shownPolicy;
  await deps.store.audit.append({
    tenantId: row.tenantId,
    executionId: row.executionId,
    eventType: `companion_${payload['type']}`,
    actorId,
    payload: policy === null ? payload : redactObject(payload, policy, deps.pseudonym),
  });
  return true;
}

type CompanionEntry = JsonObject & { readonly type: 'prompt' | 'response' };

function isCompanionEntry(payload: JsonValue): payload is CompanionEntry {
  if (!isJsonObject(payload) || typeof payload['advisor'] !== 'string') return false;
  return payload['type'] === 'prompt' || payload['type'] === 'response';
}
