import { PLACES_TOPIC } from '../../shared/engine/wake/wake-bus.ts';
import { NOTHING } from '../loop.ts';
import { onTopics } from './loop-context.ts';
import type { LoopContext, LoopDefinition } from './loop-context.ts';

/**
 * Starts children that wait for a place below their tenant's limit, and executions that wait for a place
 * or a token of their key.
 *
 * The hint `places` announces the first waiting child and, from processes that know of waiting
 * children, every free place. While children wait, the process on the duty of `fire-timers` also
 * polls often, because other processes end executions without a hint. Otherwise polling only covers
 * lost hints.
 */
export function admitChildren(context: LoopContext): LoopDefinition {
  const { scheduling, timersDuty, now } = context;
  let lastRound = now();
  return {
    name: 'admit-children',
    part: 'work',
    restMs: { min: 20, max: 5_000, quietMax: 60_000 },
    wakeOn: onTopics(context.wake, [PLACES_TOPIC]),
    async run() {
      const isMine = await timersDuty.isMine();
      if (!isMine && now() - lastRound < STANDBY_MS) {
        return { ...NOTHING, restMsMax: STANDBY_MS };
      }
      lastRound = now();
      const { isWaiting, nextTokenMs, ...round } = await scheduling.admitChildren();
      const tokenInMs = nextTokenMs ?? Infinity;
      return {
        ...round,
        ...(isWaiting && { restMsMax: WAITING_LOOK_MS }),
        // Nobody announces a token.
        ...(tokenInMs < WAITING_LOOK_MS && { restMs: Math.max(tokenInMs, TOKEN_LOOK_MS_MIN) }),
      };
    },
  };
}

const WAITING_LOOK_MS = 250;
/** Faster rates begin several at a look. */
const TOKEN_LOOK_MS_MIN = 5;
/** As long as a process on duty may be frozen before the others look. */
const STANDBY_MS = 10_000;
