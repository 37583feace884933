import type { Shop } from './shop.ts';
import type { Event } from './timeline.ts';

/** Something the demo says it has shown, and whether the records bear it out. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

export interface Records {
  /** As `GET /executions/:id` gives it, at the end. */
  readonly execution: {
    readonly status: string;
    readonly state: Readonly<Record<string, unknown>>;
  };
  /** As `GET /executions/:id/events` gave them just before the runtime was killed. */
  readonly eventsBefore: readonly Event[];
  /** And at the end. */
  readonly events: readonly Event[];
  /** As `GET /executions/:id/approvals` gives them, at the end. */
  readonly approvals: readonly { readonly decision: string; readonly user_id: string | null }[];
  /** The book of the world outside. */
  readonly calls: Shop['calls'];
}

/** The steps that call a tool, by node. */
const TOOLS = {
  reserve: 'inventory.reserve',
  authorize: 'payment.authorize',
  dispatch: 'shipping.dispatch',
} as const;

export function checkClaims(records: Records): readonly Claim[] {
  const { execution, eventsBefore, events, approvals } = records;
  const [timer] = ofNode(events, 'cool_off', 'TimerStarted');
  const [fired] = ofNode(events, 'cool_off', 'TimerFired');
  const waited = timer && fired ? Date.parse(fired.created_at) - Date.parse(timer.created_at) : 0;
  const timerMs = Number(timer?.payload['delay_ms'] ?? Number.NaN);
  return [
    {
      text: `the order is ${execution.status}, with ${events.length} events numbered without a gap`,
      holds:
        execution.status === 'completed' &&
        events.at(-1)?.kind === 'WorkflowCompleted' &&
        events.every(({ sequence }, index) => sequence === index + 1),
    },
    {
      text: `all ${eventsBefore.length} events recorded before the kill still exist, unchanged`,
      holds:
        eventsBefore.length > 0 &&
        JSON.stringify(events.slice(0, eventsBefore.length)) === JSON.stringify(eventsBefore),
    },
    checkTool(records, { node: 'reserve', callsMax: 1, said: 'finished before the kill' }),
    checkTool(records, { node: 'authorize', callsMax: 1, said: 'under way during the kill' }),
    checkTool(records, {
      node: 'dispatch',
      callsMax: null,
      said: 'under way when its worker died',
    }),
    {
      text: 'one person decided, and the decision is on record with name and time',
      holds:
        approvals.length === 1 &&
        approvals[0]?.decision === 'approved' &&
        approvals[0].user_id === 'reviewer',
    },
    {
      text: `the timer of ${timerMs / 1000} s fired after ${(waited / 1000).toFixed(2)} s`,
      holds: waited >= timerMs,
    },
  ];
}

/**
 * However often the tool was called: always with the one key that the engine minted for this step,
 * with one effect in the world, and one result on record, which is that effect.
 */
function checkTool(
  { events, calls, execution }: Records,
  params: {
    readonly node: keyof typeof TOOLS;
    readonly callsMax: number | null;
    readonly said: string;
  },
): Claim {
  const { node, callsMax, said } = params;
  const tool = TOOLS[node];
  const own = calls.filter((call) => call.tool === tool);
  const minted = ofNode(events, node, 'NodeScheduled').map(
    ({ payload }) => payload['idempotency_key'],
  );
  const [completed, ...more] = ofNode(events, node, 'NodeCompleted');
  const toolCalls = ofNode(events, node, 'ToolCallCompleted');
  const effects = new Set(own.map(({ effect }) => effect));
  const [effect = ''] = effects;
  const inState = JSON.stringify(execution.state).includes(`"${effect}"`);
  const inEvent = JSON.stringify(completed?.payload ?? {}).includes(`"${effect}"`);
  const count = `${own.length} ${own.length === 1 ? 'call' : 'calls'}`;
  const key = String(minted[0]).slice(0, 8);
  return {
    text: `${tool}, ${said}: ${count}, one key (${key}…), one effect (${effect}), one result`,
    holds:
      own.length >= 1 &&
      own.length <= (callsMax ?? Number.POSITIVE_INFINITY) &&
      minted.length === 1 &&
      own.every(({ idempotencyKey }) => idempotencyKey === minted[0]) &&
      own.filter(({ isFirst }) => isFirst).length === 1 &&
      effects.size === 1 &&
      more.length === 0 &&
      toolCalls.length === 1 &&
      inState &&
      inEvent,
  };
}

function ofNode(events: readonly Event[], node: string, kind: string): readonly Event[] {
  return events.filter((event) => event.node_id === node && event.kind === kind);
}
