import type { Dice } from '../simulation/dice.ts';
import { renderDraft, type Draft, type Framing } from './draft.ts';
import { applyMutations, drawMutations, type Mutation } from './mutate.ts';
import type { FuzzOperation } from './operations.ts';
import { drawValidRequest } from './valid-requests.ts';
import type { World } from './world.ts';

/** A request with everything that was drawn for it. Shrinking leaves out some mutations. */
export interface FuzzRequest {
  readonly operation: FuzzOperation;
  readonly base: Draft;
  readonly mutations: readonly Mutation[];
  readonly framing: Framing;
}

export function drawRequest(params: {
  readonly dice: Dice;
  readonly operation: FuzzOperation;
  readonly world: World;
  readonly token: string;
  readonly n: number;
  readonly trapPort: number;
  readonly isHostile: boolean;
}): FuzzRequest {
  const { dice, operation, trapPort, isHostile } = params;
  const base = drawValidRequest(params);
  return {
    operation,
    base,
    mutations: isHostile ? drawMutations({ dice, draft: base, trapPort }) : [],
    framing: isHostile && dice.chance(0.15) ? 'chunks' : 'length',
  };
}

export function draftOf({ base, mutations }: FuzzRequest): Draft {
  return applyMutations(base, mutations);
}

export function bytesOf(request: FuzzRequest): Buffer {
  return renderDraft(draftOf(request), request.framing);
}

/** The same request without one of its changes, for each change. */
export function simplerThan(request: FuzzRequest): readonly FuzzRequest[] {
  const { mutations, framing } = request;
  const fewer = mutations.map((_, index) => ({
    ...request,
    mutations: mutations.toSpliced(index, 1),
  }));
  return framing === 'length' ? fewer : [{ ...request, framing: 'length' }, ...fewer];
}
