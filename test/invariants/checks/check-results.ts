import { isDeepStrictEqual } from 'node:util';

import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import { textIn, type Dump, type EventOf } from '../dump.ts';
import { ENDS, foldHistory } from '../fold-history.ts';
import { deedsOf, success, type Deed, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';
import { byExecution } from './check-histories.ts';

/** One request for a result, by one clock that no fault moves. */
export interface SeenWait {
  readonly executionId: string;
  readonly begunAt: number;
  readonly waitMs: number;
  /** Null: it had no answer when everything was over. */
  readonly answered: {
    readonly at: number;
    /** False: it was a 202, with which a caller asks again. */
    readonly isEnd: boolean;
  } | null;
  /** When the end of the execution was committed; null: never. */
  readonly endedAt: number | null;
  /** The answer has the end by then at the latest; null: the process failed meanwhile. */
  readonly dueAt: number | null;
}

/**
 * Answers about ends, whether a caller waited for them or not: they agree with the history for ever, come after its
 * end, and as soon as it is known.
 */
export function checkResults(
  last: Dump,
  history: History,
  of: {
    /** The state keys of the outputs, by workflows; null: its output is its state. */
    readonly outputKeys?: Readonly<Partial<Record<string, string | null>>> | undefined;
    readonly waits?: readonly SeenWait[] | undefined;
  },
): Violation[] {
  const { outputKeys = {}, waits = [] } = of;
  const stories = byExecution(last);
  const workflows = new Map(last.executions.map((row) => [row.id, row.workflow_id]));
  const answers = [...deedsOf(history, 'result'), ...deedsOf(history, 'start')].flatMap((deed) => {
    const body = success(deed);
    return body !== null && 'status' in body ? [{ deed, body }] : [];
  });
  return [
    ...violations('a result is how the execution ended', answers, ({ deed, body }) => {
      const id = textIn(body, 'execution_id');
      const story = stories.get(id);
      if (deed.answer?.status !== 200 || !ENDED.has(body['status'])) return null;
      // No dump shows it: it was removed.
      if (story === undefined) return null;
      const key = outputKeys[workflows.get(id) ?? ''];
      const expected = resultOf(id, story, key);
      const { output, ...rest } = body;
      const shown = key === undefined ? rest : { ...rest, output };
      if (isDeepStrictEqual(shown, expected)) return null;
      return { about: aboutOf(deed, id), saw: `${tell(body)} in place of ${tell(expected)}` };
    }),
    ...violations('a caller asks again only before the end', answers, ({ deed, body }) => {
      const isAskedAgain = deed.answer?.status === 202;
      if (isAskedAgain !== ENDED.has(body['status'])) return null;
      const about = aboutOf(deed, textIn(body, 'execution_id'));
      return { about, saw: `${deed.answer?.status} with ${tell(body)}` };
    }),
    ...violations(
      'the answer to a repeated start is about the same execution',
      Map.groupBy(
        deedsOf(history, 'start').filter((deed) => success(deed) !== null),
        ({ tenantId, asks }) => `${tenantId} ${asks.key}`,
      ),
      ([key, deeds]) => {
        const ids = new Set(deeds.map((deed) => textIn(success(deed) ?? {}, 'execution_id')));
        return ids.size === 1 ? null : { about: { key }, saw: [...ids].join(', ') };
      },
    ),
    ...violations('a result follows the commit of the end', waits, (wait) => {
      const { answered, endedAt } = wait;
      if (answered?.isEnd !== true || (endedAt !== null && endedAt <= answered.at)) return null;
      return { about: { execution: wait.executionId }, saw: tell(wait) };
    }),
    ...violations('a caller who waits learns of the end when it comes', waits, (wait) => {
      const { answered, endedAt, begunAt, dueAt } = wait;
      const isMissed = answered?.isEnd === false && endedAt !== null && endedAt < begunAt;
      const isLate = dueAt !== null && (answered?.at ?? Infinity) > dueAt;
      if (!isMissed && !isLate) return null;
      return { about: { execution: wait.executionId }, saw: tell(wait) };
    }),
  ];
}

/** The answer as the documentation says it, with the state; without the output if its key is not known. */
function resultOf(
  id: string,
  story: readonly EventOf[],
  key: string | null | undefined,
): JsonObject {
  const { state, ended } = foldHistory(story);
  const last = story.at(-1);
  const output = key === null ? state : (state[key ?? ''] ?? null);
  return {
    execution_id: id,
    status: ended,
    ...(key !== undefined && { output: ended === 'completed' ? output : null }),
    error: errorOf(last),
    state,
    continued_as: last?.payload['continued_as'] ?? null,
  };
}

function errorOf(last: EventOf | undefined): JsonValue {
  const { kind, payload = {} } = last ?? {};
  if (kind === 'WorkflowFailed') {
    const { error = null, error_class = null, node_id = null } = payload;
    return { message: error, class: error_class, node_id };
  }
  if (kind !== 'WorkflowCancelled') return null;
  const message = textIn(payload, 'reason') || 'the execution was cancelled';
  return { message, class: 'cancelled', node_id: null };
}

const ENDED = new Set<unknown>(Object.values(ENDS));

function aboutOf({ begun }: Deed, execution: string) {
  return { execution, deed: begun };
}

function tell(value: object): string {
  return JSON.stringify(value);
}
