import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { foldFunctions } from '../fold-functions.ts';
import { deedsOf, success, type DeedOf, type History } from '../history.ts';
import { beforeOf, type Stories } from '../lineage.ts';
import { violations, type Violation } from '../violation.ts';
import { byExecution } from './check-histories.ts';

/** A limit of what an execution and its children may use of models. */
export interface BudgetOf {
  readonly tokens: number;
  readonly action: 'fail' | 'pause' | 'warn';
}

/** Usage of models: it is charged once, and no work begins beyond a budget. */
export function checkBudgets(
  dumps: readonly Dump[],
  history: History,
  budgets: Readonly<Record<string, BudgetOf>> = {},
): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  const limited = limitedIn(last, budgets);
  return [
    ...dumps.flatMap(checkCharged),
    ...checkCarried(byExecution(last)),
    ...checkBegun(byExecution(last), limited),
    ...checkTold(last, limited, history),
  ];
}

interface Used {
  readonly tokens: number;
  readonly costUsd: number;
}

const NOTHING: Used = { tokens: 0, costUsd: 0 };

/** Each row has the usage of the events of its execution, and of all executions below it. */
function checkCharged(dump: Dump): Violation[] {
  const charged = new Map((dump.execution_usage ?? []).map((row) => [row.execution_id, row]));
  const stories = byExecution(dump);
  const below = Map.groupBy(dump.executions, ({ parent_execution_id: parent }) => parent);
  const usedBy = (id: string): Used =>
    (below.get(id) ?? [])
      .map((child) => usedBy(child.id))
      .reduce(add, (stories.get(id) ?? []).flatMap(usagesOf).reduce(add, NOTHING));
  const accounts = dump.executions.map(({ id }) => {
    const {
      input_tokens: input = 0,
      output_tokens: output = 0,
      cost_usd: costUsd = 0,
    } = charged.get(id) ?? {};
    return { id, charged: { tokens: input + output, costUsd } };
  });
  return violations(
    'an execution is charged once for what it and its children used',
    accounts,
    (of) => {
      const used = add(usedBy(of.id), carriedInto(stories.get(of.id)?.[0]));
      if (isDeepStrictEqual(of.charged, used)) return null;
      const saw = `${JSON.stringify(of.charged)}, used were ${JSON.stringify(used)}`;
      return { about: { execution: of.id }, saw };
    },
  );
}

/** An execution that continues another begins with its usage, a fork with that up to its point, so that its own budget counts from there. */
function checkCarried(stories: Stories): Violation[] {
  const continued = [...stories].flatMap(([id, [first]]) => {
    const before = beforeOf(first, stories)?.used;
    return before === undefined ? [] : [{ id, begins: carriedInto(first), before }];
  });
  return violations('an execution begins with the usage of the one before it', continued, (of) => {
    const used = of.before.flatMap(knownIn).reduce(add, carriedInto(of.before[0]));
    if (isDeepStrictEqual(of.begins, used)) return null;
    const saw = `${JSON.stringify(of.begins)}, used were ${JSON.stringify(used)}`;
    return { about: { execution: of.id }, saw };
  });
}

/** The usage in an event, with that of children. */
function knownIn(event: EventOf): readonly Used[] {
  const { kind, payload } = event;
  return CHILD_ENDS.has(kind) ? [readUsage(payload['usage'])] : usagesOf(event);
}

/** The usage in an event, without that of children, whose own events have it. */
function usagesOf({ kind, payload }: EventOf): readonly Used[] {
  if (CHILD_ENDS.has(kind)) return [];
  const { entries, usage, carried } = payload;
  if (kind !== 'StepRecorded') return usage === undefined ? [] : [readUsage(usage)];
  if (carried === true || !Array.isArray(entries)) return [];
  return entries.filter(isJsonObject).map((entry) => readUsage(entry['usage']));
}

const CHILD_ENDS = new Set(['ChildWorkflowCompleted', 'ChildWorkflowFailed']);

/** The usage of the executions that this one continues. */
function carriedInto(first: EventOf | undefined): Used {
  const carried = first?.payload['carried'];
  return readUsage(isJsonObject(carried) ? carried['usage'] : undefined);
}

function readUsage(usage: JsonValue | undefined): Used {
  if (!isJsonObject(usage)) return NOTHING;
  const of = (name: string): number => Number(usage[name] ?? 0);
  return { tokens: of('input_tokens') + of('output_tokens'), costUsd: of('cost_usd') };
}

function add(one: Used, other: Used): Used {
  return { tokens: one.tokens + other.tokens, costUsd: one.costUsd + other.costUsd };
}

/** The budgets of an execution and of those above it, by the execution that owns each. */
type Limited = ReadonlyMap<string, readonly (BudgetOf & { readonly account: string })[]>;

function limitedIn(dump: Dump, budgets: Readonly<Record<string, BudgetOf>>): Limited {
  const rows = new Map(dump.executions.map((row) => [row.id, row]));
  return new Map(
    dump.executions.map(({ id }) => {
      const held: (BudgetOf & { readonly account: string })[] = [];
      for (let row = rows.get(id); row !== undefined;) {
        const budget = budgets[row.workflow_id];
        if (budget !== undefined) held.push({ ...budget, account: row.id });
        row = row.parent_execution_id === null ? undefined : rows.get(row.parent_execution_id);
      }
      return [id, held];
    }),
  );
}

/**
 * The budget that stops work, by what the history of the execution itself shows. Other executions may
 * have used more of it, and only svc knows of that in time.
 */
function createLedger(id: string, limited: Limited) {
  const grants = new Map<string, number>();
  let own = NOTHING;
  let inherited = NOTHING;
  return {
    note(event: EventOf): void {
      const { kind, payload } = event;
      if (kind === 'WorkflowStarted') {
        inherited = carriedInto(event);
        for (const [account, times] of grantsIn(payload)) grants.set(account, times);
      }
      if (CHILD_ENDS.has(kind)) inherited = add(inherited, readUsage(payload['usage']));
      own = usagesOf(event).reduce(add, own);
      const granted = textIn(payload, 'budget_account');
      if (kind === 'NodeResumed' && granted !== '') {
        grants.set(granted, (grants.get(granted) ?? 0) + 1);
      }
    },
    usedUp(): string | null {
      for (const { account, action, tokens } of limited.get(id) ?? []) {
        const used = own.tokens + (account === id ? inherited.tokens : 0);
        const limit = tokens * (1 + (grants.get(account) ?? 0));
        if (action !== 'warn' && used >= limit) return `${used} of ${limit} tokens of ${account}`;
      }
      return null;
    },
  };
}

function grantsIn({ carried }: JsonObject): readonly (readonly [string, number])[] {
  const grants = isJsonObject(carried) ? carried['budget_grants'] : null;
  if (!isJsonObject(grants)) return [];
  return Object.entries(grants).map(([account, times]) => [account, Number(times)]);
}

/** Work is a new item, another attempt, or another turn. Compensations run in any case. */
function checkBegun(stories: Stories, limited: Limited): Violation[] {
  const found = [...stories].flatMap(([id, story]) => {
    const ledger = createLedger(id, limited);
    const undone = new Set<string>();
    return story.flatMap((event) => {
      const place = `${event.node_id}#${JSON.stringify(event.payload['visit'] ?? null)}`;
      if (event.kind === 'RollbackScheduled') undone.add(place);
      const saw = isWork(event) && !undone.has(place) ? ledger.usedUp() : null;
      ledger.note(event);
      return saw === null ? [] : [{ event, saw }];
    });
  });
  return violations('no work begins once its budget is used up', found, ({ event, saw }) => ({
    about: { execution: event.execution_id, sequence: event.sequence },
    saw: `${event.kind} after ${saw}`,
  }));
}

function isWork({ kind, payload }: EventOf): boolean {
  if (kind === 'RetryScheduled') return true;
  if (kind === 'NodeScheduled') return textIn(payload, 'work_item_id') !== '';
  return kind === 'NodeResumed' && payload['budget_account'] === undefined;
}

/** The answer to a step asks its worker to stop. */
function checkTold(last: Dump, limited: Limited, history: History): Violation[] {
  const stories = byExecution(last);
  const owners = new Map(last.work_items.map((item) => [item.work_item_id, item.execution_id]));
  const answered = deedsOf(history, 'record').filter((deed) => success(deed) !== null);
  return violations('an answer says that a budget is used up', answered, (deed) => {
    const id = owners.get(deed.asks.workItemId) ?? '';
    const saw = usedUpAfter(deed, { id, story: stories.get(id) ?? [], limited });
    if (saw === null || success(deed)?.['budget_exceeded'] !== undefined) return null;
    return { about: { work_item: deed.asks.workItemId, deed: deed.begun }, saw };
  });
}

/** Null also if the budget was granted, or if the execution was about to end: it may be either. */
function usedUpAfter(
  { asks }: DeedOf<'record'>,
  { id, story, limited }: { id: string; story: readonly EventOf[]; limited: Limited },
): string | null {
  const spending = asks.entries.filter(({ usage }) => usage !== undefined).map(identityOf);
  if (spending.length === 0 || story.some(mayAllow)) return null;
  const visit = [...foldFunctions(story).visits.values()].find(({ items }) =>
    items.has(asks.workItemId),
  );
  const ledger = createLedger(id, limited);
  for (const event of story) {
    ledger.note(event);
    const isRecorded =
      event.kind === 'StepRecorded' &&
      event.node_id === visit?.nodeId &&
      event.payload['visit'] === visit.number &&
      entriesOf(event).some((entry) => spending.includes(identityOf(entry)));
    if (isRecorded) return ledger.usedUp();
  }
  return null;
}

function mayAllow({ kind, payload }: EventOf): boolean {
  return MAY_ALLOW.has(kind) || payload['budget_account'] !== undefined;
}

const MAY_ALLOW = new Set(['WorkflowEnding', 'RollbackScheduled']);

function entriesOf({ payload: { entries } }: EventOf): readonly JsonObject[] {
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [];
}

function identityOf(entry: JsonObject): string {
  return textIn(entry, 'identity');
}
