import type { WireExplanation } from '../../../src/shared/clients/svc/wire.ts';
import { ApiUnreachableError } from '../../../src/shared/clients/svc/request.ts';

export interface Wait {
  /** The same for the same reason, also of other executions of the workflow. */
  readonly key: string;
  readonly text: string;
}

/** A wait of this time is worth a word. */
const FIRST_MS = 3_000;
const LATER_MS = { first: 5_000, most: 20_000 };
/** The command for a decision comes with the event that asks for it. */
const TOLD_ELSEWHERE: readonly string[] = ['awaiting_approval'];

/**
 * Tells why an execution does not move and what to do: once after some seconds, and again when the
 * reason is another one. Never rejects. `pause` resolves with false when nobody waits any more.
 */
export async function tellWaits(params: {
  readonly explain: () => Promise<WireExplanation>;
  readonly tell: (wait: Wait) => void;
  readonly pause: (ms: number) => Promise<boolean>;
}): Promise<void> {
  const { explain, tell, pause } = params;
  let told: string | null = null;
  let pauseMs = FIRST_MS;
  while (await pause(pauseMs)) {
    pauseMs = pauseMs === FIRST_MS ? LATER_MS.first : Math.min(pauseMs * 2, LATER_MS.most);
    let explained: WireExplanation;
    try {
      explained = await explain();
    } catch (error) {
      if (error instanceof ApiUnreachableError) continue;
      // A runtime or a token that does not explain: the wait itself is no worse for it.
      return;
    }
    const wait = waitOf(explained);
    // A short pause of 0 says whether it has ended in the meantime.
    if (wait === null || wait.key === told || !(await pause(0))) continue;
    told = wait.key;
    tell(wait);
  }
}

/** The first reason why it does not move; null: it moves, has ended, or other lines name the reason. */
function waitOf({ execution_id: id, moving, ended, blockers }: WireExplanation): Wait | null {
  const [first] = blockers;
  if (moving || ended !== null || first === undefined) return null;
  const { code, node_id: node, message, unblocked_by: remedy } = first;
  if (TOLD_ELSEWHERE.includes(code)) return null;
  return {
    key: `${code} ${node ?? ''}`,
    text: `${id} waits: ${message}; it continues with: ${remedy}`,
  };
}
