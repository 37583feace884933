import type { SvcClient } from '../../../src/shared/clients/svc/client.ts';
import type { WireEvent } from '../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../cli/client.ts';
import { printFields, printJson, printLine, printNote } from '../../cli/output.ts';
import { printTable } from '../../cli/print-table.ts';
import {
  compareExecutions,
  type ComparedExecution,
  type ComparedVisit,
  type VisitResult,
} from './compare-executions.ts';

const PAGE_EVENTS = 500;
const SHOWN_MAX = 60;

/** Prints the visits and the keys of the state in which two executions differ; JSON has all visits. */
export async function diffExecutions(
  executionId: string,
  otherId: string,
  options: ClientOptions,
): Promise<void> {
  const client = connectClient(options);
  const one = await readWhole(client, executionId);
  const other = await readWhole(client, otherId);
  const comparison = compareExecutions(one, other);
  if (options.output === 'json') return printJson(comparison);
  printFields({
    one: `${comparison.one} ${comparison.status.one}`,
    other: `${comparison.other} ${comparison.status.other}`,
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
      rows: comparison.state.map(({ key, one: mine, other: its }) => [
        key,
        shorten(JSON.stringify(mine)),
        shorten(JSON.stringify(its)),
      ]),
    });
  }
  printNote(`${alike} ${alike === 1 ? 'visit is' : 'visits are'} alike`);
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
