/**
 * CPU time that tenants used of late, in this process. Each use fades out, to a third within a
 * minute. So whoever uses `n` seconds in each minute stands at `n` seconds.
 */
export interface CpuUse {
  add(tenantId: string, ms: number): void;
  /** Milliseconds. */
  of(tenantId: string): number;
  /** Milliseconds until the tenant is within its limit again; 0: it is. */
  waitMs(of: { readonly tenantId: string; readonly cpuSecondsMax: number | null }): number;
}

export function createCpuUse({ now }: { readonly now: () => number }): CpuUse {
  const used = new Map<string, { readonly ms: number; readonly at: number }>();

  function of(tenantId: string): number {
    const last = used.get(tenantId);
    return last === undefined ? 0 : last.ms * Math.exp((last.at - now()) / FADE_MS);
  }

  function forgetOldest(): void {
    const [oldest] = used.keys();
    if (oldest !== undefined) used.delete(oldest);
  }

  return {
    of,
    add(tenantId, ms) {
      const sum = of(tenantId) + ms;
      used.delete(tenantId);
      if (used.size >= TENANTS_MAX) forgetOldest();
      used.set(tenantId, { ms: sum, at: now() });
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
