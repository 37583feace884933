import type { ReplyOf } from '../../api/client.ts';

export type Tenant = ReplyOf<'list-tenants'>['tenants'][number];
export type Limits = Tenant['limits'];
export type CountLimit = Exclude<keyof Limits, 'memory_tier' | 'when_full'>;

export const COUNT_LIMITS: readonly {
  readonly key: CountLimit;
  readonly label: string;
  readonly hint: string;
  readonly min: number;
}[] = [
  {
    key: 'max_concurrent_executions',
    label: 'Executions at a time',
    hint: 'Children beyond them wait for a place.',
    min: 1,
  },
  {
    key: 'max_descendants',
    label: 'Descendants of an execution',
    hint: 'Children, their children, and so on.',
    min: 0,
  },
  { key: 'max_workflows', label: 'Workflows', hint: 'Registered under different names.', min: 0 },
  {
    key: 'max_queued_work_items',
    label: 'Queued work items',
    hint: 'Starts are refused while more wait for workers.',
    min: 0,
  },
  {
    key: 'requests_per_second',
    label: 'Requests a second',
    hint: 'Each API process counts its own.',
    min: 1,
  },
  {
    key: 'max_cpu_seconds_per_minute',
    label: 'CPU seconds a minute',
    hint: 'For checks and expressions on worker threads.',
    min: 1,
  },
];

export const MEMORY_TIERS = ['free', 'starter', 'team', 'business', 'enterprise'] as const;

/** What starts beyond the executions at a time do; the first is the default. */
export const WHEN_FULL = [
  { value: 'refuse', label: 'Are refused' },
  { value: 'queue', label: 'Wait for a place' },
] as const;

/** The limits that a form names; empty fields do not apply. */
export function readLimits(values: Readonly<Record<string, string>>): Limits {
  const counts = COUNT_LIMITS.flatMap(({ key }) => {
    const text = values[key] ?? '';
    return text === '' ? [] : [[key, Number(text)] as const];
  });
  const tier = MEMORY_TIERS.find((known) => known === values.memory_tier);
  return {
    ...Object.fromEntries(counts),
    ...(values.when_full === 'queue' && { when_full: 'queue' }),
    ...(tier !== undefined && { memory_tier: tier }),
  };
}

export function describeLimits(limits: Limits): string {
  const counts = COUNT_LIMITS.flatMap(({ key, label }) => {
    const value = limits[key];
    return value === undefined ? [] : [`${label.toLowerCase()}: ${value}`];
  });
  const waits = limits.when_full === 'queue' ? ['further starts wait'] : [];
  const tier = limits.memory_tier === undefined ? [] : [`memory: ${limits.memory_tier}`];
  return [...counts, ...waits, ...tier].join(', ') || 'none';
}
