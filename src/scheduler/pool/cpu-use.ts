import { BoundedMap } from '../../shared/domain/bounded-map.ts';

/**
 * CPU time that tenants used lately, in this process. Each use decays to a third within a minute,
 * so a tenant that uses `n` seconds in each minute has a value of `n` seconds.
 */
export interface CpuUse {
  add(tenantId: string, ms: number): void;
  /** Milliseconds. */
  of(tenantId: string): number;
  /** Milliseconds until the tenant is within its limit again; 0: it is. */
  waitMs(of: { readonly tenantId: string; readonly cpuSecondsMax: number | null }): number;
}

export function createCpuUse({ now }: { readonly now: () => number }): CpuUse {
  const used = new BoundedMap<string, { readonly ms: number; readonly at: number }>(TENANTS_MAX);

  function of(tenantId: string): number {
    const last = used.get(tenantId);
    return last === undefined ? 0 : last.ms * Math.exp((last.at - now()) / FADE_MS);
  }

  return {
    of,
    add(tenantId, ms) {
      used.set(tenantId, { ms: of(tenantId) + ms, at: now() });
    },
    waitMs({ tenantId, cpuSecondsMax }) {
      if (cpuSecondsMax === null) return 0;
      const over = of(tenantId) / (cpuSecondsMax * 1000);
      // Never in less than a millisecond, so that nobody looks again without end.
      return over <= 1 ? 0 : Math.ceil(FADE_MS * Math.log(over)) + 1;
    },
  };
}

const FADE_MS = 60_000;
const TENANTS_MAX = 10_000;
