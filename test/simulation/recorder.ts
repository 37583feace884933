import { ArchiveWriteError } from '../../src/shared/clients/archive/write-archive.ts';
import type { EngineReport } from '../../src/shared/engine/report.ts';
import type { Deed, History } from '../invariants/history.ts';
import type { World } from './world.ts';

/** Records the requests and answers of clients, and counts what happens. */
export interface Recorder {
  readonly history: History;
  readonly counts: ReadonlyMap<string, number>;
  /** Errors that must not occur in any process. */
  readonly troubles: readonly string[];
  /** Errors of archives that processes reported. */
  readonly failedArchives: readonly string[];
  /** Records the beginning of a deed; `answer` records its end. */
  begin(deed: Pick<Deed, 'client' | 'tenantId' | 'asks'>): {
    answer(answer: NonNullable<Deed['answer']>): void;
  };
  count(name: string, by?: number): void;
  trouble(what: string, error: unknown): void;
  reportOf(process: string): EngineReport;
}

export function createRecorder(world: World): Recorder {
  const deeds: Deed[] = [];
  const counts = new Map<string, number>();
  const troubles: string[] = [];
  const failedArchives: string[] = [];
  let order = 0;

  function count(name: string, by = 1): void {
    counts.set(name, (counts.get(name) ?? 0) + by);
  }

  function trouble(what: string, error: unknown): void {
    world.note(`trouble: ${what}: ${String(error)}`);
    if (error instanceof Error && error.name === 'StoreUnavailableError') return;
    if (error instanceof ArchiveWriteError) {
      failedArchives.push(`${what}: ${error.message}`);
      return;
    }
    troubles.push(`${what}: ${error instanceof Error ? (error.stack ?? error) : String(error)}`);
  }

  return {
    history: { deeds },
    counts,
    troubles,
    failedArchives,
    begin: (given) => {
      const deed = { ...given, begun: (order += 1), ended: null, answer: null } as {
        -readonly [Field in keyof Deed]: Deed[Field];
      };
      deeds.push(deed);
      count('requests');
      return {
        answer: (answer) => {
          deed.ended = order += 1;
          deed.answer = answer;
        },
      };
    },
    count,
    trouble,
    reportOf: (process) => ({
      count: (name, by, labels) => {
        const { reason = labels?.['cause'] ?? '' } = labels ?? {};
        count(reason === '' ? name : `${name} ${reason}`, by);
      },
      observe: () => {},
      trouble: (what, error) => trouble(`${process}: ${what}`, error),
    }),
  };
}
