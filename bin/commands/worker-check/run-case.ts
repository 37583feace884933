import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { CallLog, fits, type Call } from './call-log.ts';
import { CASE_FILE, type Case, type Until } from './case-file.ts';
import { startFakeRuntime } from './fake-runtime.ts';
import { ALWAYS } from './judge-always.ts';
import { judgeExpectations } from './judge-expectations.ts';
import { PlayedItems } from './played-items.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

/** The findings of one case. */
export interface CaseResult {
  readonly of: Case;
  readonly problems: readonly string[];
  readonly calls: readonly Call[];
  readonly output: string;
  readonly beganAt: number;
  readonly ms: number;
}

const QUIET_MS = 300;
const LOOK_MS = 10;

/** Starts the worker, plays the case, and judges what the worker did. */
export async function runCase(
  of: Case,
  given: {
    readonly command: readonly string[];
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<CaseResult> {
  const log = new CallLog();
  const items = new PlayedItems(of.items, log);
  const token = `check_${randomBytes(24).toString('base64url')}`;
  const runtime = await startFakeRuntime({ of, token, log, items });
  const beganAt = performance.now();
  const worker = startWorker(given.command, { SVC_URL: runtime.url, SVC_TOKEN: token });
  const played = { of, log, items, worker };
  let askedAt = beganAt;
  try {
    const deadline = beganAt + given.timeoutMs;
    const unsignalled = await untilTime(() => isSignalDue(played), { deadline, ...given, worker });
    if (of.signal !== undefined && !unsignalled) {
      askedAt = performance.now();
      worker.signal(of.signal.send);
    }
    const isLate = await untilTime(() => isOver(of.until, played), { deadline, ...given, worker });
    if (!isLate && 'quiet_ms' in of.until) await quiet(of.until.quiet_ms ?? QUIET_MS, given.signal);
    else if (!isLate && !('exit' in of.until)) await quiet(QUIET_MS, given.signal);
    items.endLapsed();
    const end = worker.end();
    await runtime.close();
    const output = worker.output();
    const seen = { of, log, items, end, askedAt, output };
    return {
      of,
      calls: log.calls,
      output,
      beganAt,
      ms: Math.round(performance.now() - beganAt),
      problems: [
        ...(isLate
          ? [`after ${given.timeoutMs} ms the case waits for ${tellUntil(of.until, log)}`]
          : []),
        ...judgeExpectations(seen),
        ...CASE_FILE.always.flatMap(({ name }) => ALWAYS[name]?.(seen) ?? []),
      ],
    };
  } finally {
    worker.kill();
    await runtime.close();
  }
}

interface Played {
  readonly of: Case;
  readonly log: CallLog;
  readonly items: PlayedItems;
  readonly worker: WorkerProcess;
}

/** Whether the time was over first, or the worker has ended. */
async function untilTime(
  holds: () => boolean,
  given: {
    readonly deadline: number;
    readonly signal: AbortSignal;
    readonly worker: WorkerProcess;
  },
): Promise<boolean> {
  while (!holds()) {
    given.signal.throwIfAborted();
    if (performance.now() >= given.deadline || given.worker.end() !== null) return !holds();
    // Rejects when there is no such program.
    await Promise.race([delay(LOOK_MS), given.worker.ended]);
  }
  return false;
}

function isSignalDue({ of, log }: Played): boolean {
  if (of.signal === undefined) return true;
  const time = log.timeOf(of.signal.when);
  return time !== null && performance.now() >= time;
}

function isOver(until: Until, { log, items, worker }: Played): boolean {
  if ('exit' in until) return worker.end() !== null;
  if ('passed_ms' in until) {
    if (worker.end() !== null) return true;
    const [first] = log.calls;
    return first !== undefined && performance.now() >= first.beganAt + until.passed_ms;
  }
  if ('calls' in until)
    return log.calls.filter((call) => fits(until.calls, call)).length >= until.count;
  return until.ended.every((name) => items.named(name)?.state === 'ended');
}

async function quiet(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}

function tellUntil(until: Until, log: CallLog): string {
  if ('exit' in until) return 'the end of the worker';
  if ('passed_ms' in until) return log.calls.length === 0 ? 'a first call' : 'its end';
  if ('calls' in until) return `${until.count} times ${JSON.stringify(until.calls)}`;
  return `the end of ${until.ended.join(', ')}`;
}
