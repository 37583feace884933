import { PLACES_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Starts children that wait for a place below their tenant's limit, and executions that wait for a place
 * or a token of their key.
 *
 * The hint `places` announces the first that waits, and every free place that somebody waits for: the
 * process on the duty of `fire-timers` tells the others who waits (`engine/admission/awaited-places.ts`).
 * While executions wait, that process looks every ten seconds besides, because hints may be lost. It looks
 * often directly after a hint, when others may not have heard who waits, and where a hint was missed.
 */
export function admitChildren(context: LoopContext): LoopDefinition {
  const { scheduling, timersDuty, activity, now } = context;
  let lastRound = now();
  let hintedAt = -Infinity;
  /** The last round found that only a hint can bring work. */
  let needsHint = false;

  function lookMs(): number {
    const looksOften = now() - hintedAt < HINTS_CROSS_MS || !activity.trustsHints();
    return looksOften ? OFTEN_LOOK_MS : WAITING_LOOK_MS;
  }

  return {
    name: 'admit-children',
    part: 'work',
    restMs: { min: 20, max: 5_000, quietMax: 60_000 },
    wakeOn: onTopics(context.wake, [PLACES_TOPIC]),
    async run({ woken }) {
      if (woken) hintedAt = now();
      const isMine = await timersDuty.isMine();
      if (!isMine && now() - lastRound < STANDBY_MS) {
        needsHint = false;
        return { ...NOTHING, restMsMax: STANDBY_MS };
      }
      lastRound = now();
      const neededHint = needsHint;
      needsHint = false;
      const { isWaiting, isPart, nextTokenMs, ...round } = await scheduling.admitChildren();
      if (round.found > 0 && neededHint && !woken) activity.hintMissed();
      const restMsMax = isPart ? OFTEN_LOOK_MS : lookMs();
      const tokenInMs = nextTokenMs ?? Infinity;
      const hasNext = round.found > 0 || isPart || tokenInMs < 2 * WAITING_LOOK_MS;
      needsHint = isMine && isWaiting && !hasNext && restMsMax === WAITING_LOOK_MS;
      return {
        ...round,
        ...((isWaiting || isPart) && { restMsMax }),
        // Nobody announces a token.
        ...(tokenInMs < restMsMax && { restMs: Math.max(tokenInMs, TOKEN_LOOK_MS_MIN) }),
      };
    },
  };
}

const WAITING_LOOK_MS = 10_000;
const OFTEN_LOOK_MS = 250;
/** Longer than a hint is under way from one process to another. */
const HINTS_CROSS_MS = 2_000;
/** Faster rates begin several at a look. */
const TOKEN_LOOK_MS_MIN = 5;
/** As long as a process on duty may be frozen before the others look. */
const STANDBY_MS = 10_000;
