import type { Branch, FunctionContext } from './context.ts';
import { places, type Scope } from './scope.ts';

/* Branches side by side. The order in which they end is the order of the journal, in each turn. */

export interface Fork {
  readonly ctx: FunctionContext;
  readonly scope: Scope;
  readonly identity: string;
}

export function runAll(fork: Fork, branches: readonly Branch<unknown>[]): Promise<unknown[]> {
  return Promise.all(branches.map((branch, index) => begin(fork, { branch, index }).result));
}

export async function runRace(fork: Fork, branches: readonly Branch<unknown>[]): Promise<unknown> {
  const begun = branches.map((branch, index) => begin(fork, { branch, index }));
  const winner = begun.map(async ({ result }, index) => {
    try {
      return await result;
    } finally {
      for (const [other, { scope }] of begun.entries()) if (other !== index) scope?.abandon();
    }
  });
  return Promise.race(winner);
}

export async function runMap<Item, Result>(
  fork: Fork,
  given: {
    readonly items: readonly Item[];
    readonly run: (item: Item, index: number) => Promise<Result>;
    readonly concurrency: number;
  },
): Promise<Result[]> {
  const { items, run, concurrency } = given;
  const results: Result[] = [];
  const left = items.entries();
  let hasFailed = false;
  const lane = async () => {
    for (const [index, item] of left) {
      if (hasFailed) return;
      const scope = fork.scope.branch(fork.identity, index);
      try {
        results[index] = await places.run({ scope, step: null }, () => run(item, index));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane));
  return results;
}

function begin(
  fork: Fork,
  given: { readonly branch: Branch<unknown>; readonly index: number },
): { readonly result: Promise<unknown>; readonly scope: Scope | null } {
  const { branch, index } = given;
  if (typeof branch !== 'function') return { result: Promise.resolve(branch), scope: null };
  const scope = fork.scope.branch(fork.identity, index);
  return { scope, result: places.run({ scope, step: null }, async () => branch(fork.ctx)) };
}
