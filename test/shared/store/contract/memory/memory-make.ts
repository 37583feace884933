import { encodeSketch } from '../../../../../src/shared/domain/memory/sketch.ts';
import { encodeVector } from '../../../../../src/shared/domain/memory/vector.ts';
import type { TenantId } from '../../../../../src/shared/domain/ids.ts';
import type { Fact } from '../../../../../src/shared/domain/memory/fact.ts';
import type { MemoryStore, NewFact } from '../../../../../src/shared/store/memory.ts';
import { axis } from '../../../../support/vectors.ts';
import { makeUuid } from '../make.ts';

const QUOTA = 1000;
export const HOLD_MS = 60_000;

/** A fact of the whole project whose vector is the first axis. */
export function makeFact(tenantId: TenantId, changes: Partial<NewFact> = {}): NewFact {
  return {
    tenantId,
    reservationId: makeUuid(),
    quota: QUOTA,
    factId: makeUuid(),
    agentId: null,
    endUserId: null,
    content: 'tea, no sugar',
    metadata: {},
    ingestionKey: null,
    embedding: encodeVector(axis(0)),
    sketch: encodeSketch(axis(0)),
    actorId: 'token:ci',
    ...changes,
  };
}

/** Reserves a place and adds the fact to it. */
export async function addOne(
  memory: MemoryStore,
  tenantId: TenantId,
  changes: Partial<NewFact> = {},
): Promise<Fact> {
  const fact = makeFact(tenantId, changes);
  const { reservationId, quota } = fact;
  if (!(await memory.reserve({ tenantId, reservationId, quota, holdMs: HOLD_MS }))) {
    throw new Error('there was no place');
  }
  const added = await memory.add(fact);
  if (added === null) throw new Error('the place was gone');
  return added;
}
