import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { displacedIn } from './check-concurrency.ts';
import type { Dump, EventOf } from '../dump.ts';
import { deedsOf, wasRefused, type Ask, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/**
 * Nothing is forged: a client sent each outside input in the histories, unchanged, and was not
 * refused. Inputs without a token are not recorded, so this check leaves them out.
 */
export function checkSent(dump: Dump, history: History): Violation[] {
  const sent = new Map(
    KINDS.map((name) => [
      name,
      Map.groupBy(deedsOf(history, name), (deed) => tokenOfDeed(deed) ?? ''),
    ]),
  );
  const started = new Set(deedsOf(history, 'start').map(({ asks }) => asks.token));
  const cancels = Map.groupBy(deedsOf(history, 'cancel'), ({ asks }) => asks.executionId);
  const roots = dump.events.filter(
    ({ kind, payload }) =>
      kind === 'WorkflowStarted' &&
      payload['parent_execution_id'] === undefined &&
      started.has(tokenIn(payload['input']) ?? ''),
  );
  const displaced = new Set(displacedIn(dump).map(({ event }) => event.execution_id));
  const ofRoots = new Set(roots.map((event) => event.execution_id));
  return [
    ...violations('an outside input in a history was sent', dump.events, (event) => {
      const told = toldBy(event);
      if (told === null) return null;
      const deeds = sent.get(told.do)?.get(told.token) ?? [];
      if (deeds.some((deed) => !wasRefused(deed) && told.isWhat(deed.asks))) return null;
      return {
        about: { execution: event.execution_id, sequence: event.sequence, token: told.token },
        saw: `${event.kind} of ${deeds.map(({ answer }) => answer?.status ?? 'none').join(', ') || 'nobody'}`,
      };
    }),
    ...violations(
      'a cancelled execution was cancelled by a request',
      dump.events.filter(({ kind }) => kind === 'WorkflowCancelled'),
      ({ execution_id: id }) => {
        const deeds = cancels.get(id) ?? [];
        if (!ofRoots.has(id) || displaced.has(id)) return null;
        if (deeds.some((deed) => !wasRefused(deed))) return null;
        return { about: { execution: id }, saw: `${deeds.length} requests, all refused` };
      },
    ),
  ];
}

const KINDS = ['start', 'complete', 'approve', 'event'] as const;

interface Told {
  readonly do: (typeof KINDS)[number];
  readonly token: string;
  readonly isWhat: (asks: Ask) => boolean;
}

/** Null: the event records no outside input, or one that the deeds don't record. */
function toldBy(event: EventOf): Told | null {
  const { kind, execution_id: executionId, payload } = event;
  switch (kind) {
    case 'WorkflowStarted':
      if (payload['parent_execution_id'] !== undefined) return null;
      return told('start', tokenIn(payload['input']), (asks) => asks.do === 'start');
    case 'ApprovalReceived':
      return told(
        'approve',
        typeof payload['comment'] === 'string' ? payload['comment'] : null,
        (asks) =>
          asks.do === 'approve' &&
          asks.executionId === executionId &&
          asks.decision === payload['decision'],
      );
    case 'ExternalEventReceived':
      return told(
        'event',
        tokenIn(payload['payload']),
        (asks) =>
          asks.do === 'event' &&
          asks.executionId === executionId &&
          asks.correlationKey === payload['correlation_key'],
      );
    case 'NodeCompleted': {
      const token = tokenIn(payload['output']);
      if (token === null || !WORKER_TOKEN.test(token)) return null;
      return told(
        'complete',
        token,
        (asks) => asks.do === 'complete' && isDeepStrictEqual(asks.output, payload['output']),
      );
    }
    default:
      return null;
  }
}

/** Tokens in the results of workers: `<item>:<fence>`, or `fence <fence>`. */
const WORKER_TOKEN = /^[0-9a-f-]{36}:\d+$|^fence \d+$/;

function told(name: Told['do'], token: string | null, isWhat: Told['isWhat']): Told | null {
  return token === null ? null : { do: name, token, isWhat };
}

function tokenOfDeed({ asks }: DeedOf<(typeof KINDS)[number]>): string | null {
  return asks.do === 'complete' ? tokenIn(asks.output) : asks.token;
}

function tokenIn(value: JsonValue | undefined): string | null {
  const token = isJsonObject(value) ? value['token'] : null;
  return typeof token === 'string' ? token : null;
}
