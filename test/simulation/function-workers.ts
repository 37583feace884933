import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import type { ClaimedWork } from '../../src/shared/engine/work/hand-out-items.ts';
import type { JournalEntry } from '../../src/shared/domain/execution/function-events.ts';
import type { Usage } from '../../src/shared/nodes/run.ts';
import type { AskedWait } from '../../src/shared/engine/work/functions/suspend-function.ts';
import { textIn } from '../invariants/dump.ts';
import type { Answer } from '../invariants/history.ts';
import { claimTurn } from './claim-turn.ts';
import { insist, type Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import { nextInput, nextOf, owedIn, programOf, type Next } from './function-programs.ts';
import type { Request } from './network.ts';
import { askToRelease, askToRenew, type Client, type Held } from './requests.ts';
import {
  type Append,
  askToCompleteRollback,
  askToCompleteTurn,
  askToContinue,
  askToFailTurn,
  askToRecord,
  askToSuspend,
} from './requests-of-functions.ts';
import type { PlannedFunctionWorker } from './scenario.ts';
import type { Effects } from './step-effects.ts';
import { drawUsage, usageOfEntry } from './usage.ts';

/** The world with the programs of functions, and the receiver of their effects. */
export interface FunctionWorld extends Outside {
  readonly effects: Effects;
  readonly programs: string;
}

/** Claims turns and runs them until the history is over. */
export async function runFunctionWorker(
  outside: FunctionWorld,
  plan: PlannedFunctionWorker,
  dice: Dice,
): Promise<void> {
  const by = { client: plan.name, tenantId: plan.tenantId };
  let restMs = POLL_MS.min;
  while (!outside.isOver()) {
    const items = await claimTurn(outside, { by, plan }, dice);
    restMs = items.length === 0 ? Math.min(restMs * 2, POLL_MS.max) : POLL_MS.min;
    if (items.length === 0) await outside.world.pause(restMs * (0.5 + dice.fraction()));
    await Promise.all(items.map((item) => take(outside, { by, item, plan }, dice)));
  }
}

const POLL_MS = { min: 40, max: 320 };

/** How a worker runs a turn. */
type Manner = 'well' | (typeof MISCHIEF)[number];

const MISCHIEF = [
  'dies',
  'dies',
  'too late',
  'too late',
  'too late',
  'slowly',
  'twice',
  'not mine',
  'says it again',
  'says it again late',
  'says it again late',
  'says something else',
  'forgets',
  'miscounts',
] as const;

async function take(
  outside: FunctionWorld,
  of: { readonly by: Client; readonly item: ClaimedWork; readonly plan: PlannedFunctionWorker },
  dice: Dice,
): Promise<void> {
  const { by, plan, item } = of;
  const { record, leaseFence, opened } = item;
  if (opened === null) return;
  const isCareful = outside.isCalm() || !dice.chance(plan.mischief);
  const manner = isCareful ? 'well' : dice.pick(MISCHIEF);
  const held = { workItemId: record.workItemId, key: record.idempotencyKey, fence: leaseFence };
  if (manner === 'not mine') {
    await insist(outside, dice, askToRelease(by, held));
    // Some workers continue with an item that they released.
    if (dice.chance(0.7)) return;
  }
  const twins = manner === 'twice' ? [dice.fork('one'), dice.fork('other')] : [dice];
  await Promise.all(twins.map((own) => runTurn(outside, { by, held, item, manner }, own)));
}

/** The worker's view of a turn. */
interface Turn {
  readonly by: Client;
  readonly held: Held;
  readonly item: ClaimedWork;
  readonly manner: Manner;
  /** Recorded entries. */
  readonly journal: JsonObject[];
  /** Entries for the next request. */
  pending: JournalEntry[];
}

async function runTurn(
  outside: FunctionWorld,
  given: Pick<Turn, 'by' | 'held' | 'item' | 'manner'>,
  dice: Dice,
): Promise<void> {
  const { record, opened, attempt } = given.item;
  const journal = (opened?.journal.entries ?? []).map(({ entry }): JsonObject => entry);
  const turn: Turn = { ...given, journal, pending: [] };
  const program = programOf(outside.programs, {
    nodeId: record.nodeId,
    input: inputOf(given.item),
  });
  const isRollback = opened?.mode === 'rollback';
  for (let goesOn = true; goesOn && !outside.isOver();) {
    await misbehave(outside, turn, dice);
    if (turn.manner === 'dies' && dice.chance(0.25)) return;
    if (turn.manner === 'forgets') await recordAgain(outside, turn);
    if (turn.manner === 'miscounts') await recordAside(outside, turn, dice);
    const all = [...turn.journal, ...turn.pending];
    goesOn = isRollback
      ? await undoNext(outside, turn, dice)
      : await doNext(outside, turn, { next: nextOf(program, all, attempt), dice });
  }
}

function inputOf({ record }: ClaimedWork): JsonValue {
  return record.payload['input'] ?? null;
}

async function misbehave({ world, network }: Outside, turn: Turn, dice: Dice): Promise<void> {
  const { by, held, manner, item } = turn;
  if (manner === 'too late' && dice.chance(0.4)) {
    await world.pause(leaseMsOf(item) * (0.9 + dice.fraction()));
  } else if (manner === 'slowly' && dice.chance(0.5)) {
    await world.pause(item.record.heartbeatIntervalMs);
    await network.send(askToRenew(by, held));
  } else await world.pause(dice.fraction() * 10);
}

/** False: the turn is over for this worker. */
async function doNext(
  outside: FunctionWorld,
  turn: Turn,
  { next, dice }: { readonly next: Next; readonly dice: Dice },
): Promise<boolean> {
  const { by, held } = turn;
  switch (next.do) {
    case 'step': {
      const { identity } = next;
      const receipt = outside.effects.have(by, { ...held, identity });
      const usage = usageIn(turn, { of: identity, dice });
      const entry = { identity, kind: 'step', output: { receipt } } as const;
      return append(outside, turn, {
        entry: usage === null ? entry : { ...entry, usage: usageOfEntry(usage) },
        dice,
      });
    }
    case 'register':
      return append(outside, turn, {
        entry: { identity: next.identity, kind: 'on_rollback' },
        dice,
      });
    case 'value': {
      const output = dice.between(0, 1_000_000);
      const { identity } = next;
      return append(outside, turn, { entry: { identity, kind: 'value', output }, dice });
    }
    case 'wait':
      return suspend(outside, turn, { waits: next.waits, dice });
    case 'fail': {
      const { isFinal } = next;
      await ask(outside, turn, {
        request: askToFailTurn(by, {
          ...appendOf(turn),
          isFinal,
          usage: usageIn(turn, { of: 'fail', dice }),
        }),
        dice,
      });
      return false;
    }
    case 'continue':
      await continueAsNew(outside, turn, { seen: next.seen, dice });
      return false;
    case 'complete': {
      const output = { token: `fence ${held.fence}`, seen: next.seen };
      const usage = usageIn(turn, { of: 'complete', dice });
      const request = askToCompleteTurn(by, { ...appendOf(turn), output, usage });
      await ask(outside, turn, { request, dice });
      return false;
    }
  }
}

/** A function that owes compensations cannot continue: it fails permanently, and they run. */
async function continueAsNew(
  outside: FunctionWorld,
  turn: Turn,
  { seen, dice }: { readonly seen: JsonObject; readonly dice: Dice },
): Promise<void> {
  const { by } = turn;
  const input = nextInput(inputOf(turn.item), seen);
  const request = askToContinue(by, { ...appendOf(turn), input });
  const answer = await ask(outside, turn, { request, dice });
  if (turn.manner === 'says something else') {
    const other = { ...input, round: 'another' };
    await outside.network.send(askToContinue(by, { ...appendOf(turn), input: other }));
  }
  if (answer?.status !== 400) return;
  const giveUp = askToFailTurn(by, { ...appendOf(turn), isFinal: true });
  await ask(outside, turn, { request: giveUp, dice });
}

async function undoNext(outside: FunctionWorld, turn: Turn, dice: Dice): Promise<boolean> {
  const { by, held } = turn;
  const [owed] = owedIn([...turn.journal, ...turn.pending]);
  if (turn.manner === 'says something else') {
    await outside.network.send(askToContinue(by, { ...appendOf(turn), input: {} }));
  }
  if (owed === undefined) {
    await ask(outside, turn, { request: askToCompleteRollback(by, appendOf(turn)), dice });
    return false;
  }
  // A compensation may fail, sometimes permanently.
  if (!outside.isCalm() && dice.chance(0.05)) {
    const isFinal = dice.chance(0.3);
    await ask(outside, turn, { request: askToFailTurn(by, { ...appendOf(turn), isFinal }), dice });
    return false;
  }
  const identity = `rollback/${owed}`;
  outside.effects.have(by, { ...held, identity });
  return append(outside, turn, { entry: { identity, kind: 'rollback', output: null }, dice });
}

/** Sends a recorded identity again, at the end of the journal. The service must refuse it. */
async function recordAgain({ network }: Outside, { by, held, journal }: Turn): Promise<void> {
  const known = journal.findLast(({ kind }) => kind === 'step' || kind === 'value');
  if (known === undefined) return;
  const identity = textIn(known, 'identity');
  const entry: JournalEntry = { identity, kind: 'version', output: 'another' };
  const of = { ...held, expectedLength: journal.length, entries: [entry] };
  await network.send(askToRecord(by, of));
}

/** Sends a new identity at a wrong position of the journal. The service must refuse it. */
async function recordAside({ network }: Outside, turn: Turn, dice: Dice): Promise<void> {
  const { by, held, journal } = turn;
  const isShort = journal.length > 0 && dice.chance(0.7);
  const expectedLength = journal.length + (isShort ? -1 : 1);
  const identity = `aside ${journal.length}`;
  const entries: readonly JournalEntry[] = [{ identity, kind: 'version', output: 'aside' }];
  await network.send(askToRecord(by, { ...held, expectedLength, entries }));
}

/** Sends the entry immediately, or with the next request. */
async function append(
  outside: FunctionWorld,
  turn: Turn,
  { entry, dice }: { readonly entry: JournalEntry; readonly dice: Dice },
): Promise<boolean> {
  turn.pending = [...turn.pending, entry];
  if (dice.chance(0.4)) return true;
  const answer = await ask(outside, turn, { request: askToRecord(turn.by, appendOf(turn)), dice });
  if (answer?.status !== 200) return false;
  keep(turn, []);
  const { budget_exceeded: exceeded } = answer.body;
  if (!isJsonObject(exceeded)) return true;
  const of = { isPause: exceeded['action'] === 'pause', dice };
  return isHeedless(turn, dice) || stopSpending(outside, turn, of);
}

/** Some workers continue beyond a budget, until their turn ends. */
function isHeedless({ item, manner }: Turn, dice: Dice): boolean {
  return manner !== 'well' && dice.fork(`heeds ${item.opened?.turn}`).chance(0.5);
}

/** False: the turn is over. */
async function stopSpending(
  outside: FunctionWorld,
  turn: Turn,
  { isPause, dice }: { readonly isPause: boolean; readonly dice: Dice },
): Promise<boolean> {
  if (isPause) return suspend(outside, turn, { waits: [], dice });
  const request = askToFailTurn(turn.by, { ...appendOf(turn), isFinal: true });
  await ask(outside, turn, { request, dice });
  return false;
}

function usageIn(
  { item }: Turn,
  { of, dice }: { readonly of: string; readonly dice: Dice },
): Usage | null {
  return drawUsage(dice.fork(`usage of ${item.opened?.turn} ${of}`), item.record.nodeId);
}

async function suspend(
  outside: FunctionWorld,
  turn: Turn,
  { waits, dice }: { readonly waits: readonly AskedWait[]; readonly dice: Dice },
): Promise<boolean> {
  const request = askToSuspend(turn.by, { ...appendOf(turn), waits });
  const answer = await ask(outside, turn, { request, dice });
  const { resumed, entries } = answer?.body ?? {};
  if (answer?.status !== 200 || resumed !== true || !Array.isArray(entries)) return false;
  keep(turn, entries.filter(isJsonObject));
  return true;
}

function keep(turn: Turn, more: readonly JsonObject[]): void {
  turn.journal.push(...turn.pending, ...more);
  turn.pending = [];
}

function appendOf({ held, journal, pending }: Turn): Append {
  return { ...held, expectedLength: journal.length, entries: pending };
}

async function ask(
  outside: FunctionWorld,
  { manner, item }: Turn,
  { request, dice }: { readonly request: Request; readonly dice: Dice },
): Promise<Answer | null> {
  const answer = await insist(outside, dice, request);
  const isSaidAgain = manner === 'says it again' || manner === 'says it again late';
  if (!isSaidAgain || dice.chance(0.5)) return answer;
  // By then another worker may have the item, at another process.
  if (manner === 'says it again late')
    await outside.world.pause(leaseMsOf(item) * (1 + dice.fraction()));
  await outside.network.send(request);
  return answer;
}

function leaseMsOf({ record }: ClaimedWork): number {
  return record.heartbeatIntervalMs * 3;
}
