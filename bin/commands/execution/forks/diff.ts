import type { SvcClient } from '../../../../src/shared/clients/svc/client.ts';
import {
  compareExecutions,
  type ComparedExecution,
  type ComparedKey,
  type ComparedVisit,
  type Comparison,
  type VisitResult,
} from '../../../../src/shared/clients/svc/compare-executions.ts';
import { ApiError } from '../../../../src/shared/clients/svc/request.ts';
import type { WireEvent } from '../../../../src/shared/clients/svc/wire.ts';
import type { JsonValue } from '../../../../src/shared/domain/json.ts';
import { connectClient, type ClientOptions } from '../../../cli/client.ts';
import { CliError, EXIT } from '../../../cli/exit-code.ts';
import { printFields, printJson, printLine, printNote } from '../../../cli/output.ts';
import { printTable } from '../../../cli/print-table.ts';

const PAGE_EVENTS = 500;
const SHOWN_MAX = 60;

/** Prints the visits and the keys of the state in which two executions differ; JSON has all visits. */
export async function diffExecutions(
  executionId: string,
  otherId: string,
  options: ClientOptions,
): Promise<void> {
  const client = connectClient(options);
  const [one, other] = await readBoth(client, [executionId, otherId]);
  const comparison = compareExecutions(one, other);
  if (options.output === 'json') return printJson(comparison);
  printFields({
    one: `${comparison.one} ${comparison.status.one}`,
    other: `${comparison.other} ${comparison.status.other}`,
    ...tellParting(comparison),
  });
  const visits = comparison.visits.filter(({ differs }) => differs !== null);
  const alike = comparison.visits.length - visits.length;
  if (visits.length > 0) {
    printLine('');
    printTable({ head: ['NODE', 'VISIT', 'DIFFERS', 'ONE', 'OTHER'], rows: visits.map(rowOf) });
  }
  if (comparison.state.length > 0) {
    printLine('');
    printTable({
      head: ['STATE', 'ONE', 'OTHER'],
      rows: comparison.state.map(rowOfKey),
    });
  }
  if (comparison.input.differs === true) {
    printLine('');
    const { one: mine, other: its } = comparison.input;
    printTable({ head: ['INPUT OF ONE', 'INPUT OF OTHER'], rows: [both(mine, its)] });
  }
  printNote(`${alike} ${alike === 1 ? 'visit is' : 'visits are'} alike`);
}

type Pair<Item> = readonly [one: Item, other: Item];

async function readBoth(client: SvcClient, ids: Pair<string>): Promise<Pair<ComparedExecution>> {
  const [one, other] = await Promise.allSettled([
    readWhole(client, ids[0]),
    readWhole(client, ids[1]),
  ]);
  if (one.status === 'fulfilled') {
    if (other.status === 'fulfilled') return [one.value, other.value];
    throw explainMissing({ id: ids[1], error: other.reason, present: one.value });
  }
  if (other.status === 'rejected') throw one.reason;
  throw explainMissing({ id: ids[0], error: one.reason, present: other.value });
}

/** Retention can remove an original before its fork or its retry, which still has its results. */
function explainMissing(given: {
  readonly id: string;
  readonly error: unknown;
  readonly present: ComparedExecution;
}): unknown {
  const { id, error, present } = given;
  const { execution_id: kept, forked_from: forked, retried_from: retried } = present.execution;
  const origin = forked ?? retried ?? null;
  if (!(error instanceof ApiError) || error.status !== 404) return error;
  if (origin === null || origin.execution_id !== id) return error;
  const relation = forked ? 'fork' : 'retry';
  return new CliError(
    `cannot compare: ${id} does not exist any more; retention may have removed it. ` +
      `Its ${relation} ${kept} carries its state up to event ${origin.sequence ?? '?'}; ` +
      `print that with: svc execution state ${kept} --at 1`,
    { exitCode: EXIT.notFound, cause: error },
  );
}

async function readWhole(client: SvcClient, executionId: string): Promise<ComparedExecution> {
  const execution = await client.readExecution(executionId);
  const events: WireEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.sequence ?? 0;
    const page = await client.readEvents({ executionId, after, limit: PAGE_EVENTS });
    events.push(...page.events);
    if (page.events.length < PAGE_EVENTS) return { execution, events };
  }
}

function tellParting({ parts_at: at, visits }: Comparison): Readonly<Record<string, string>> {
  if (at === null) return {};
  const isOnly = visits.filter(({ node_id: id }) => id === at.node_id).length === 1;
  return { 'parts at': isOnly ? at.node_id : `${at.node_id} (visit ${at.visit})` };
}

function both(one: JsonValue, other: JsonValue): Pair<string> {
  return [shorten(JSON.stringify(one)), shorten(JSON.stringify(other))];
}

function rowOfKey({ key, one, other, absent_in: side }: ComparedKey): readonly string[] {
  const [mine, its] = both(one, other);
  return [key, side === 'one' ? ABSENT : mine, side === 'other' ? ABSENT : its];
}

/** A null is a value: JSON has it, and a text stands in quotes. */
const ABSENT = 'absent';

function rowOf({ node_id, visit, differs, one, other }: ComparedVisit): (string | number | null)[] {
  return [node_id, visit, differs?.replace('_', ' ') ?? null, tell(one), tell(other)];
}

function tell(result: VisitResult | null): string {
  if (result === null) return '–';
  const { outcome, output, error, duration_ms: ms } = result;
  const what = error ?? (outcome === 'completed' ? JSON.stringify(output) : '');
  return shorten(
    [outcome, what, ms === null ? '' : `${ms} ms`].filter((text) => text !== '').join(' '),
  );
}

function shorten(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX - 1)}…`;
}
