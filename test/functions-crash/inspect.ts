import type { ExecutionEvent } from '../support/wire.ts';
import type { Ask } from './ask.ts';
import { checkCancelled, checkEnd } from './check.ts';
import { checkVisits } from './check-visits.ts';
import { awaitEnd, readEvents, type Course, type End } from './drive.ts';
import { tagOfChild, visitsOf, type Plan, type Program } from './program.ts';
import type { Receiver } from './receiver.ts';

/** The results of inspecting an execution and its children. */
export interface Findings {
  readonly problems: readonly string[];
  /** Attempts lost to kills and lapsed leases. */
  readonly attemptsLost: number;
  readonly suspensions: number;
  /** Visits that continued as new. */
  readonly continuations: number;
  readonly children: number;
}

const NOTHING = { attemptsLost: 0, suspensions: 0, continuations: 0, children: 0 };

interface Inspection {
  readonly ask: Ask;
  readonly receiver: Receiver;
  readonly signal: AbortSignal;
}

/** Inspects an execution that has ended, and its children, which may end a little later. */
export async function inspect(
  plan: Pick<Plan, 'tag' | 'program' | 'cancel'>,
  course: Course,
  given: Inspection,
): Promise<Findings> {
  const { ask, receiver } = given;
  const atEnd = checkEnd(plan, course);
  if (course.end === null) {
    const { body } = await ask({ path: `/executions/${course.executionId}/explain` });
    const problems = [...atEnd, `explain: ${JSON.stringify(body)}`];
    return { problems, ...NOTHING };
  }
  const events = await readEvents(ask, course.executionId);
  const children = await inspectChildren(plan, events, given);
  const gave = new Map(children.map((child) => [child.id, child.gave]));
  const problems = checkVisits({
    tag: plan.tag,
    program: plan.program,
    status: course.end.status,
    output: course.end.output,
    events,
    ofVisit: (tag) => ({
      effects: receiver.effectsOf(tag),
      executions: receiver.executionsOf(tag),
      children: gave,
    }),
  });
  const ids = children.map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return {
    problems: [
      ...atEnd,
      ...checkCancelled(course, events),
      ...problems,
      ...twice.map((id) => `${id} started two children`),
      ...children.flatMap(({ id, findings }) => findings.problems.map((one) => `${id}: ${one}`)),
    ],
    attemptsLost: sum(events.filter(isLost).length, children, 'attemptsLost'),
    suspensions: sum(countOf(events, 'NodeSuspended'), children, 'suspensions'),
    continuations: countOf(events, 'NodeContinuedAsNew'),
    children: sum(children.length, children, 'children'),
  };
}

interface Child {
  readonly id: string;
  readonly gave: unknown;
  readonly findings: Findings;
}

async function inspectChildren(
  plan: Pick<Plan, 'tag' | 'program' | 'cancel'>,
  events: readonly ExecutionEvent[],
  given: Inspection,
): Promise<readonly Child[]> {
  const started = events.filter(({ kind }) => kind === 'ChildWorkflowStarted');
  return Promise.all(
    started.map(async ({ payload }) => {
      const {
        visit,
        step: id,
        child_execution_id: executionId,
      } = payload as unknown as {
        readonly visit: number;
        readonly step: string;
        readonly child_execution_id: string;
      };
      const parent = visitsOf(plan)[visit] ?? plan;
      const program = programOf(parent.program, id);
      const end = await awaitEnd(given.ask, executionId, given.signal);
      const own = { tag: tagOfChild(parent.tag, id), program, cancel: plan.cancel };
      const course = { executionId, end, isToldCancelled: false };
      return { id, gave: gaveOf(end), findings: await inspect(own, course, given) };
    }),
  );
}

function programOf(program: Program, id: string): Program {
  const found = program.find((operation) => operation.id === id);
  return found?.op === 'child' ? found.program : [];
}

/** The result that the calling function sees. */
function gaveOf(end: End | null): unknown {
  if (end?.status !== 'completed') return 'ChildError';
  const { output } = end;
  return typeof output === 'object' && output !== null && 'results' in output
    ? output.results
    : output;
}

function isLost({ kind }: ExecutionEvent): boolean {
  return kind === 'RetryScheduled';
}

function countOf(events: readonly ExecutionEvent[], kind: ExecutionEvent['kind']): number {
  return events.filter((event) => event.kind === kind).length;
}

function sum(
  own: number,
  children: readonly Child[],
  name: 'attemptsLost' | 'suspensions' | 'children',
): number {
  return children.reduce((total, { findings }) => total + findings[name], own);
}
