import test from 'ava';
import { startLoop } from '../../src/scheduler/loop.ts';
import type { LoopOptions, LoopOutcome, RoundReport } from '../../src/scheduler/loop.ts';
import { createVirtualTimers } from './virtual-timers.ts';

const FOUND = { found: 1, more: false };
const EMPTY = { found: 0, more: false };

test('the rest doubles up to the longest while nothing is found, and starts over when something is', async (t) => {
  const loop = start({ outcomes: (round) => (round === 7 ? FOUND : EMPTY) });
  await loop.timers.advance(5000);
  t.deepEqual(loop.gaps(), [50, 100, 200, 400, 800, 1000, 50, 50, 100, 200, 400, 800]);
  await loop.stop();
});

test('the rest grows further while the process is quiet', async (t) => {
  const loop = start({
    restMs: { min: 500, max: 1000, quietMax: 4000 },
    isQuiet: () => loop.timers.now() >= 3000,
  });
  await loop.timers.advance(15_000);
  t.deepEqual(loop.gaps(), [500, 1000, 1000, 1000, 1000, 2000, 4000, 4000]);
  await loop.stop();
});

test('rests are spread by a fifth to either side', async (t) => {
  const draws = [0, 1, 0.5];
  const loop = start({ restMs: { min: 100, max: 100 }, random: () => draws.shift() ?? 0.5 });
  await loop.timers.advance(400);
  t.deepEqual(loop.gaps(), [80, 120, 100, 100]);
  await loop.stop();
});

test('while there is more, rounds follow each other at once', async (t) => {
  const loop = start({ outcomes: (round) => ({ found: 1, more: round < 5 }) });
  await loop.timers.advance(0);
  t.is(loop.rounds().length, 5);
  await loop.stop();
});

test('while there is more, a round with a budget rests as long as it says', async (t) => {
  const loop = start({
    outcomes: (round) => (round < 3 ? { found: 1, more: true, restMsMin: 30 } : FOUND),
  });
  await loop.timers.advance(110);
  t.deepEqual(loop.gaps(), [30, 30, 50]);
  await loop.stop();
});

test('`more` without anything found is not believed', async (t) => {
  const loop = start({ outcomes: () => ({ found: 0, more: true }) });
  await loop.timers.advance(150);
  t.deepEqual(loop.gaps(), [50, 100]);
  await loop.stop();
});

test('a round that knows when there is something to do shortens the rest', async (t) => {
  const loop = start({
    restMs: { min: 1000, max: 1000 },
    outcomes: (round) => (round === 1 ? { ...EMPTY, restMsMax: 7 } : EMPTY),
  });
  await loop.timers.advance(1007);
  t.deepEqual(loop.gaps(), [7, 1000]);
  await loop.stop();
});

test('a hint during a rest ends it, and the round reports it', async (t) => {
  const loop = start({ restMs: { min: 1000, max: 1000 } });
  await loop.timers.advance(300);
  loop.wake();
  await loop.timers.advance(0);
  t.deepEqual(loop.rounds(), [
    { at: 0, woken: false },
    { at: 300, woken: true },
  ]);
  await loop.stop();
});

test('a hint during a round makes the next one follow at once', async (t) => {
  const loop = start({
    restMs: { min: 1000, max: 1000 },
    outcomes: (round) => {
      if (round === 1) loop.wake();
      return FOUND;
    },
  });
  await loop.timers.advance(1);
  t.deepEqual(loop.rounds(), [
    { at: 0, woken: false },
    { at: 0, woken: true },
  ]);
  await loop.stop();
});

test('a storm of hints that lead to nothing is held to a round every few milliseconds', async (t) => {
  const loop = start({
    outcomes: () => {
      loop.wake();
      return EMPTY;
    },
  });
  await loop.timers.advance(100);
  t.is(loop.rounds().length, 21);
  await loop.stop();
});

test('errors do not end the loop: the back-off grows to its bound and ends with a success', async (t) => {
  const loop = start({
    errorMsMax: 1000,
    outcomes: (round) => {
      if (round <= 6) throw new Error(`round ${round}`);
      return EMPTY;
    },
  });
  await loop.timers.advance(3600);
  t.deepEqual(loop.gaps(), [100, 200, 400, 800, 1000, 1000, 50]);
  const failures = loop.reports.map((report) => (report.ok ? 0 : report.failures));
  t.deepEqual(failures, [1, 2, 3, 4, 5, 6, 0, 0]);
  t.like(loop.health(), { failures: 0, lastSuccessAt: 3550, silentMs: 50 });
  await loop.stop();
});

test('hints do not cut a back-off short', async (t) => {
  const loop = start({
    outcomes: () => {
      throw new Error('the database is down');
    },
  });
  for (let ms = 0; ms < 299; ms++) {
    loop.wake();
    await loop.timers.advance(1);
  }
  t.deepEqual(loop.gaps(), [100]);
  t.like(loop.health(), { failures: 2, lastSuccessAt: null, silentMs: 299 });
  await loop.stop();
});

test('stop during a rest ends at once, and hints no longer matter', async (t) => {
  const loop = start({ restMs: { min: 1000, max: 1000 } });
  await loop.timers.advance(10);
  await loop.stop();
  loop.wake();
  await loop.timers.advance(5000);
  t.is(loop.rounds().length, 1);
  t.is(loop.subscriptions(), 0);
});

test('stop during a round aborts its signal and resolves when the round is over', async (t) => {
  const round = Promise.withResolvers<LoopOutcome>();
  const loop = start({ outcomes: () => round.promise });
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  await loop.timers.advance(1000);
  t.true(loop.signal()?.aborted);
  t.false(stopped);
  round.resolve({ found: 1, more: true });
  await stopping;
  t.is(loop.rounds().length, 1);
});

function start(
  given: Partial<LoopOptions> & {
    /** The outcome by the number of the round, from 1. */
    readonly outcomes?: (round: number) => LoopOutcome | Promise<LoopOutcome>;
  } = {},
) {
  const { outcomes = () => EMPTY, ...options } = given;
  const timers = createVirtualTimers();
  const rounds: { readonly at: number; readonly woken: boolean }[] = [];
  const reports: RoundReport[] = [];
  const listeners = new Set<() => void>();
  let signal: AbortSignal | null = null;
  const loop = startLoop({
    name: 'tested',
    restMs: { min: 50, max: 1000 },
    random: () => 0.5,
    timers,
    async run(round) {
      signal = round.signal;
      rounds.push({ at: timers.now(), woken: round.woken });
      // Like a round that reads a store: the loop has started when the answer comes.
      await Promise.resolve();
      return outcomes(rounds.length);
    },
    wakeOn(wake) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
    onRound: (report) => void reports.push(report),
    ...options,
  });
  return {
    timers,
    reports,
    rounds: () => rounds,
    gaps: () => rounds.slice(1).map(({ at }, index) => Math.round(at - (rounds[index]?.at ?? 0))),
    signal: () => signal,
    subscriptions: () => listeners.size,
    wake: () => listeners.forEach((listener) => listener()),
    stop: () => loop.stop(),
    health: () => loop.health(),
  };
}
