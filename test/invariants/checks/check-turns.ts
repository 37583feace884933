import { readShare } from '../../../src/shared/domain/work/fair-queue.ts';
import { tokenOf } from './check-concurrency.ts';
import type { Dump } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';

/** The `fairness` of a workflow, by the `token` in the input of an execution. */
export type ShareOf = (token: string) => Share;

export interface Share {
  readonly key: string;
  readonly weight: number;
}

/**
 * A claim that got items: what waited on the queues of workers right before it, and what it took. Or a
 * moment before items were taken back, in which none is claimed.
 */
export interface SeenClaim {
  /** The process that served it. */
  readonly process: number;
  /** By the database's clock. */
  readonly at: number;
  readonly waiting: readonly Waiting[];
  /** Ids of items, in the order in which they were taken. */
  readonly taken: readonly string[];
}

export interface Waiting {
  readonly work_item_id: string;
  readonly execution_id: string;
  /** The queue of its workers, and its priority. */
  readonly line: string;
  /** The lowest goes first. Below 0: a tag. */
  readonly place: number;
}

/** By execution; items of all others have no key. */
type Shares = ReadonlyMap<string, Share>;

/** A time in which an item waits on one queue. */
interface Stay extends Waiting, Share {
  /** The claim before which it was first seen there. */
  readonly since: number;
  /** `returned`: perhaps at the place that it had, after a claim. `joined`: it has waited before. */
  readonly kind: 'first' | 'joined' | 'returned';
}

interface Step {
  readonly at: number;
  readonly process: number;
  readonly waiting: readonly Stay[];
  /** They left without a claim. */
  readonly gone: readonly Stay[];
  readonly taken: readonly Stay[];
}

/** Items without a key are one class, which takes turns like a key of weight 1. */
const CLASS: Share = { key: 'without a key', weight: 1 };

/** Keys take turns on a queue by their weights. */
export function checkTurns(
  dumps: readonly Dump[],
  claims: readonly SeenClaim[] = [],
  rules: Readonly<Partial<Record<string, ShareOf>>> = {},
): Violation[] {
  const shares = sharesIn(dumps, rules);
  if (shares.size === 0) return [];
  return [...checkNames(dumps, shares), ...checkClaimTurns(claims, shares, { isAlone: false })];
}

/** `isAlone`: one process queues and claims, so it knows of every key. */
export function checkClaimTurns(
  claims: readonly SeenClaim[],
  shares: Shares,
  { isAlone }: { readonly isAlone: boolean },
): Violation[] {
  const steps = stepsOf(claims, shares);
  const lines = new Set(
    steps.flatMap(({ waiting }) => waiting.filter(isTagged).map(({ line }) => line)),
  );
  const knows = isAlone ? () => true : ({ key }: Share) => key !== CLASS.key;
  return [
    ...checkOrder(steps),
    ...[...lines].flatMap((line) =>
      checkLine(
        steps.map((step) => stepOn(step, line)),
        knows,
      ),
    ),
  ];
}

function sharesIn(
  dumps: readonly Dump[],
  rules: Readonly<Partial<Record<string, ShareOf>>>,
): Shares {
  const shares = new Map<string, Share>();
  for (const { executions, events } of dumps) {
    const ruled = new Map(
      executions.flatMap(({ id, workflow_id: name }) => {
        const shareOf = rules[name];
        return shareOf === undefined || shares.has(id) ? [] : [[id, shareOf]];
      }),
    );
    if (ruled.size === 0) continue;
    for (const event of events) {
      const shareOf = event.sequence === 1 ? ruled.get(event.execution_id) : undefined;
      if (shareOf !== undefined) shares.set(event.execution_id, shareOf(tokenOf(event)));
    }
  }
  return shares;
}

function checkNames(dumps: readonly Dump[], shares: Shares): Violation[] {
  const rows = [
    ...(dumps.at(-1)?.work_items ?? []),
    ...dumps.flatMap(({ work_queue: queued }) => queued.filter(({ queue }) => queue !== 'engine')),
  ];
  return violations('an item has the key and the weight of its execution', rows, (row) => {
    const own = shares.get(row.execution_id) ?? null;
    const found = readShare(row.queue_name ?? '');
    if (own?.key === found?.key && own?.weight === found?.weight) return null;
    return {
      about: { execution: row.execution_id, work_item: row.work_item_id },
      saw: `${row.queue_name ?? 'no name'}, and not ${own?.key ?? 'no key'} ${own?.weight ?? ''}`,
    };
  });
}

function stepsOf(claims: readonly SeenClaim[], shares: Shares): readonly Step[] {
  let stays: ReadonlyMap<string, Stay> = new Map();
  const places = new Map<string, number>();
  return claims.map(({ process, waiting, taken }, at) => {
    const present = new Map(
      waiting.map((row): readonly [string, Stay] => {
        const { work_item_id: id, line, place } = row;
        const known = stays.get(id);
        const before = places.get(id);
        places.set(id, place);
        if (known?.line === line && known.place === place) return [id, known];
        const kind = before === undefined ? 'first' : place <= before ? 'returned' : 'joined';
        const share = shares.get(row.execution_id) ?? CLASS;
        return [id, { ...row, ...share, since: at, kind }];
      }),
    );
    const gone = [...stays].flatMap(([id, stay]) => (present.get(id) === stay ? [] : [stay]));
    stays = new Map([...present].filter(([id]) => !taken.includes(id)));
    return {
      at,
      process,
      waiting: [...present.values()],
      gone,
      taken: taken.flatMap((id) => present.get(id) ?? []),
    };
  });
}

function stepOn({ waiting, gone, taken, ...step }: Step, line: string): Step {
  const on = (stays: readonly Stay[]) => stays.filter((stay) => stay.line === line);
  return { ...step, waiting: on(waiting), gone: on(gone), taken: on(taken) };
}

function isTagged({ place }: Waiting): boolean {
  return place < 0;
}

/** Retried and released items are left out: the first join the end of their key, the others do not. */
function checkOrder(steps: readonly Step[]): Violation[] {
  const pairs = steps.flatMap(({ waiting, taken }) =>
    taken.map((stay, index) => ({ stay, others: taken.slice(0, index), waiting })),
  );
  return violations('items of a key are taken in the order in which they came', pairs, (pair) => {
    const { stay, others, waiting } = pair;
    if (stay.kind !== 'first' || !isTagged(stay)) return null;
    const passed = waiting.find(
      (other) =>
        other.kind === 'first' &&
        other.line === stay.line &&
        other.key === stay.key &&
        other.since < stay.since &&
        !others.includes(other),
    );
    if (passed === undefined) return null;
    const { work_item_id: item, key, line } = stay;
    return { about: { work_item: item, key, line }, saw: `it passed ${passed.work_item_id}` };
  });
}

/** From a moment on, in which a key has items that wait all the time. */
interface Window extends Share {
  /** Items of the key that have left the queue. */
  left: number;
  readonly counts: Map<string, number>;
  readonly processes: Set<number>;
  /** The queue of keys has been empty meanwhile, and has begun again at its first tag. */
  hasBegunAgain: boolean;
}

/** For tags that move to the next number because theirs was taken. */
const ROUNDING = 0.05;

/**
 * While a key waits, others have tags from the first one of the queue up to its own, which is at most a
 * turn away. A released item returns to its tag, so it is not counted twice. If its tag is then the first
 * one, keys that join start from there, and nothing is known until the queue is empty. Items that leave
 * without a claim leave their turns to others, so their key may wait longer.
 *
 * Processes give turns to the class of items without a key on their own, so it may wait for one turn of
 * each process, and gets no more than one item before the next one of a key. Unless one process is alone,
 * nothing is known of the turns that it gets: a process looks for keys when a hint says so. A process
 * notices by the second item of a key that the queue of keys has begun again, so each key may get twice as
 * many then. The class is at most a turn behind the first key, so the weight of a key is rounded up.
 */
function checkLine(steps: readonly Step[], knows: (of: Share) => boolean): Violation[] {
  let windows: readonly Window[] = [];
  let gapped: ReadonlySet<string> = new Set();
  let isKnown = true;
  return steps.flatMap((step) => {
    const { at, waiting, gone, taken, process } = step;
    const tags = waiting.filter(isTagged).map(({ place }) => place);
    if (tags.length === 0) isKnown = true;
    if (waiting.some((stay) => setsBack(stay, at, Math.min(...tags)))) isKnown = false;
    if (!waiting.some((stay) => isTagged(stay) && stay.since < at)) {
      for (const window of windows) window.hasBegunAgain = true;
    }
    if (tags.length === 0 || !isKnown) {
      windows = [];
      return [];
    }
    const lasting = new Set(waiting.filter(({ since }) => since < at).map(({ key }) => key));
    const left = [...gapped, ...gone.filter(isTagged).map(({ key }) => key)];
    gapped = new Set(left.filter((key) => lasting.has(key)));
    windows = windows.filter(({ key }) => lasting.has(key) && !gapped.has(key));
    for (const stay of waiting) {
      const isOpen = windows.some(({ key }) => key === stay.key);
      if (!isOpen && !gapped.has(stay.key)) windows = [...windows, openWindow(stay)];
    }
    const rest = new Set(waiting);
    return taken.flatMap((stay) => {
      const broken = windows
        .flatMap((one) => noteTaken(one, stay, process))
        .filter(() => knows(stay));
      rest.delete(stay);
      const waits = !gapped.has(stay.key) && [...rest].some(({ key }) => key === stay.key);
      windows = waits
        ? [...windows, openWindow(stay)]
        : windows.filter(({ key }) => key !== stay.key);
      return broken;
    });
  });
}

function setsBack(stay: Stay, at: number, first: number): boolean {
  return stay.kind === 'returned' && stay.since === at && stay.place === first;
}

function openWindow({ key, weight }: Share): Window {
  return { key, weight, left: 0, counts: new Map(), processes: new Set(), hasBegunAgain: false };
}

function noteTaken(window: Window, stay: Stay, process: number): Violation[] {
  const { key, weight, counts, processes } = window;
  processes.add(process);
  if (stay.key === key) {
    window.left += 1;
    return [];
  }
  if (stay.kind === 'returned') return [];
  const count = (counts.get(stay.key) ?? 0) + 1;
  counts.set(stay.key, count);
  const times = window.hasBegunAgain ? 2 : 1;
  const turns = (window.left + (key === CLASS.key ? processes.size : 1)) * times;
  const each = key === CLASS.key ? Math.max(1, Math.ceil(stay.weight)) : stay.weight / weight;
  const most = Math.floor(turns * each + ROUNDING) + 1;
  if (count <= most) return [];
  return [
    {
      rule: 'while a key waits, others get no more than their weights allow',
      about: { key, other: stay.key, line: stay.line, work_item: stay.work_item_id },
      saw: `${count} items of the other, at most ${most}, while ${window.left} of the key left`,
    },
  ];
}
