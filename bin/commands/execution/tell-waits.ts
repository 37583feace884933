import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import { isWorthRetrying } from '../../../src/shared/clients/svc/follow-events.ts';
import type { WireExplanation } from '../../../src/shared/clients/svc/wire.ts';
import { pauseUntil } from './pause-until.ts';
import { tellRemedy } from './tell-remedy.ts';

export interface Wait {
  /** The code of the reason, as `explain` gives it. */
  readonly code: string;
  /** The same for the same reason, also of other executions of the workflow. */
  readonly key: string;
  readonly text: string;
}

/** A wait of this time is worth a word. */
const FIRST_MS = 3_000;
const LATER_MS = { first: 5_000, most: 20_000 };

/** Waits for the work, and tells meanwhile why the execution does not move, until the signal aborts. */
export async function tellingWaits<Result>(
  given: {
    readonly client: SvcClient;
    readonly executionId: string;
    readonly toldElsewhere: readonly string[];
    readonly tell: (wait: Wait) => void;
    readonly signal?: AbortSignal;
  },
  work: () => Promise<Result>,
): Promise<Result> {
  const { client, executionId, toldElsewhere, tell, signal } = given;
  const over = new AbortController();
  const waiting = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  void tellWaits({
    explain: () => client.explainExecution(executionId, waiting),
    toldElsewhere,
    tell,
    pause: (ms) => pauseUntil(waiting, ms),
  });
  try {
    return await work();
  } finally {
    over.abort();
  }
}

/**
 * Tells why an execution does not move and what to do: once after some seconds, and again when the
 * reason is another one. Never rejects. `pause` resolves with false when nobody waits any more.
 */
export async function tellWaits(params: {
  readonly explain: () => Promise<WireExplanation>;
  /** Codes of reasons that the caller names in other lines. */
  readonly toldElsewhere: readonly string[];
  readonly tell: (wait: Wait) => void;
  readonly pause: (ms: number) => Promise<boolean>;
}): Promise<void> {
  const { explain, toldElsewhere, tell, pause } = params;
  let told: string | null = null;
  let pauseMs = FIRST_MS;
  while (await pause(pauseMs)) {
    pauseMs = pauseMs === FIRST_MS ? LATER_MS.first : Math.min(pauseMs * 2, LATER_MS.most);
    let wait: Wait | null;
    try {
      wait = waitOf(await explain());
    } catch (error) {
      if (isWorthRetrying(error)) continue;
      // A runtime or a token that does not explain: the wait itself is no worse for it.
      return;
    }
    if (wait === null || wait.key === told || toldElsewhere.includes(wait.code)) continue;
    // A short pause of 0 says whether it has ended in the meantime.
    if (!(await pause(0))) return;
    told = wait.key;
    tell(wait);
  }
}

/** The first reason why it does not move; null: it moves, or has ended. */
function waitOf(explained: WireExplanation): Wait | null {
  const { execution_id: id, moving, ended, blockers } = explained;
  const [first] = blockers;
  if (moving || ended !== null || first === undefined) return null;
  const { code, node_id: node, message } = first;
  return {
    code,
    key: `${code} ${node ?? ''}`,
    text: `${id} waits: ${message}; it continues with: ${tellRemedy(first, id)}`,
  };
}
