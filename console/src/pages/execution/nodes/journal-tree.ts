import type { ReplyOf } from '../../../api/client.ts';

type ExecutionEvent = ReplyOf<'read-events'>['events'][number];

/** One entry of a durable function's journal. */
export interface JournalEntry {
  readonly identity: string;
  readonly kind: string;
  readonly sequence: number;
  readonly output: unknown;
  readonly error: string | null;
  readonly attempts: number;
  readonly durationMs: number | null;
}

/** Entries below the parts of their identities: `charge/card` stands below `charge`. */
export interface JournalBranch {
  readonly name: string;
  readonly path: string;
  readonly entries: readonly JournalEntry[];
  readonly branches: readonly JournalBranch[];
}

export function readEntries(events: readonly ExecutionEvent[]): readonly JournalEntry[] {
  return events.flatMap(({ sequence, payload }) => {
    const { entries } = payload;
    return Array.isArray(entries) ? entries.flatMap((one) => readEntry(one, sequence)) : [];
  });
}

export function growTree(entries: readonly JournalEntry[], path = '', depth = 0): JournalBranch {
  const groups = Map.groupBy(entries, ({ identity }) => identity.split('/')[depth] ?? '');
  const own = groups.get('') ?? [];
  groups.delete('');
  return {
    name: path.split('/').at(-1) ?? '',
    path,
    entries: own,
    branches: [...groups].map(([name, inner]) =>
      growTree(inner, path === '' ? name : `${path}/${name}`, depth + 1),
    ),
  };
}

function readEntry(entry: unknown, sequence: number): readonly JournalEntry[] {
  if (!isRecord(entry) || typeof entry.identity !== 'string') return [];
  const { identity, kind, output, error, attempts, duration_ms: durationMs } = entry;
  return [
    {
      identity,
      kind: typeof kind === 'string' ? kind : 'step',
      sequence,
      output,
      error: isRecord(error) && typeof error.message === 'string' ? error.message : null,
      attempts: typeof attempts === 'number' ? attempts : 1,
      durationMs: typeof durationMs === 'number' ? durationMs : null,
    },
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
