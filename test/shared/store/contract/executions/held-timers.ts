import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { commitOne, judge, listDue, start } from '../drive.ts';
import { makePlan, makeTimer } from '../make.ts';

const HOUR_MS = 60 * 60 * 1000;
const MINUTE_MS = 60_000;

/** Minutes that pass while the timer runs and while it is held, and moves that change nothing. */
const HELD_AND_RELEASED = [
  ['pass', 20],
  ['release', 0],
  ['hold', 0],
  ['pass', 600],
  ['hold', 0],
  ['pass', 600],
  ['release', 0],
  ['pass', 30],
  ['hold', 0],
  ['release', 0],
  ['pass', 10],
  ['hold', 0],
  ['pass', 600],
  ['release', 0],
  ['pass', 10],
] as const;

export function heldTimerCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a held timer is due once its time has passed after a release', async (t, opened) => {
    const { store, age } = opened;
    const timer = makeTimer({ when: { delayMs: 65 * MINUTE_MS } });
    const execution = await start(store, { changes: { startsTimers: [timer] } });
    const move = { hold: 'holdsTimers', release: 'releasesTimers' } as const;
    let left = 65;
    let isHeld = false;
    for (const [step, minutes] of HELD_AND_RELEASED) {
      if (step === 'pass') {
        await age({ table: 'timers', columns: ['due_at'], byMs: minutes * MINUTE_MS });
        left -= isHeld ? 0 : minutes;
      } else {
        await commitOne(store, makePlan(execution, { [move[step]]: [timer.name, 'never there'] }));
        isHeld = step === 'hold';
      }
      t.is((await listDue(store, execution)).length, left < 0 ? 1 : 0, `${left} minutes left`);
    }
    t.true(left < 0);
    await commitOne(store, makePlan(execution, { firesTimers: [timer.name] }));
  });

  check('a timer that is due fires, even if a commit holds it', async (t, { store }) => {
    const timer = makeTimer();
    const execution = await start(store, { changes: { startsTimers: [timer] } });
    await commitOne(store, makePlan(execution, { holdsTimers: [timer.name] }));
    t.is((await listDue(store, execution)).length, 1);
  });

  check('a held timer cannot fire, and can be cancelled or begun again', async (t, { store }) => {
    const timers = ['cancelled', 'again'].map((name) =>
      makeTimer({ name, when: { delayMs: HOUR_MS } }),
    );
    const execution = await start(store, { changes: { startsTimers: timers } });
    const names = timers.map(({ name }) => name);
    await commitOne(store, makePlan(execution, { holdsTimers: names }));
    const fired = await judge(store, makePlan(execution, { firesTimers: ['cancelled'] }));
    t.like(fired, { accepted: false, reason: 'stale' });
    const begun = { startsTimers: [makeTimer({ name: 'again' })] };
    await commitOne(store, makePlan(execution, { cancelsTimers: ['cancelled'], ...begun }));
    await commitOne(store, makePlan(execution, { releasesTimers: names }));
    t.deepEqual(
      (await listDue(store, execution)).map(({ name }) => name),
      ['again'],
    );
  });
}
