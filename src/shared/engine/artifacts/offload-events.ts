import type { ExecutionEvent } from '../../domain/execution/event.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { NewEvent } from '../../store/commit.ts';
import { newEvent } from '../commit/commit-plan.ts';
import type { CompiledDefinition } from '../advance/definition-cache.ts';
import { holdReferences } from './hold-references.ts';
import { lookedInto } from './looked-into.ts';
import { isLarge, offloadResult, type OffloadDeps } from './offload.ts';

export interface OffloadedEvents {
  readonly facts: readonly ExecutionEvent[];
  /** The same as they are stored. */
  readonly stored: readonly NewEvent[];
}

/**
 * Facts with the large values of results put elsewhere, to be called before they are folded and
 * committed. A small event, as nearly all are, costs a look at its JSON, which is made anyway.
 */
export async function offloadEvents(
  deps: OffloadDeps,
  params: {
    readonly tenantId: TenantId;
    readonly facts: readonly ExecutionEvent[];
    /** The workflow; asked for only where there is something large. */
    readonly compiled: () => Promise<CompiledDefinition>;
    readonly actorId: string;
    /** Whether to refuse a result with a dangling reference, with a 400 that names it. */
    readonly refusesUnknown: boolean;
  },
): Promise<OffloadedEvents> {
  const { tenantId, actorId, refusesUnknown } = params;
  const facts = [...params.facts];
  const stored = facts.map((fact) => newEvent(fact, actorId));
  for (const [index, fact] of facts.entries()) {
    if (fact.kind !== 'NodeCompleted') continue;
    const json = stored[index]?.payload ?? '';
    const { output, state_patch: patch = {} } = fact.payload;
    await holdReferences(deps.store.artifacts, {
      tenantId,
      json,
      values: [output, patch],
      what: refusesUnknown ? 'the result' : null,
    });
    if (!isLarge(json)) continue;
    const { plan, definition } = await params.compiled();
    const outputKey = plan.nodes.get(fact.nodeId)?.outputKey ?? null;
    const use = { outputKey, looks: lookedInto(definition.ir) };
    const payload = await offloadResult(deps, { tenantId, result: fact.payload, use });
    const offloaded = { ...fact, payload };
    facts[index] = offloaded;
    stored[index] = newEvent(offloaded, actorId);
  }
  return { facts, stored };
}

/** The result of a node in the facts. */
export function resultIn({ facts }: OffloadedEvents): {
  readonly output: JsonValue;
  readonly statePatch: JsonObject;
} {
  const completed = facts.find((fact) => fact.kind === 'NodeCompleted');
  if (completed === undefined) throw new Error('there is no result among the facts');
  const { output, state_patch: statePatch = {} } = completed.payload;
  return { output, statePatch };
}
