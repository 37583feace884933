import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

import { freePort } from '../test/support/servers/ports.ts';
import { openDatabases, type BenchDatabase } from './support/databases.ts';
import { describeMachine } from './support/machine.ts';
import { METER_OPTIONS, meterOf, type Meter } from './support/meter-process.ts';
import { countParts, PARTS } from './support/profile-parts.ts';
import { renderSection, renderTable, show, tableOf } from './support/render.ts';
import {
  callBareServer,
  openRequestPasses,
  ROUTES,
  type MeasureRoute,
  type Route,
} from './support/request-passes.ts';
import { startRuntime } from './support/runtime-process.ts';
import { saveLast, saveSections } from './support/save-results.ts';
import { spread, sumOf } from './support/statistics.ts';

/*
 * npm run bench:requests [-- --before <checkout>] [--rounds 9] [--requests 300] [--save]
 *
 * What a request costs an API process, and which part of it. Everything is processor time of that
 * process. The process of another checkout and a server that does nothing serve the same requests in
 * turn, so that ratios hold on a shared machine. `--after <checkout>`: another one in place of this.
 */

const WARM_UP_PASSES = 2;

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '300' },
    save: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const requests = Number(values.requests);

interface Subject {
  readonly name: 'bare' | 'before' | 'after';
  readonly meter: Meter;
  pass(count: number, measure: MeasureRoute): Promise<void>;
  close(): Promise<void>;
}

/** Microseconds of a request, round by round. */
type Costs = Record<Route, number[]>;

const began = new Date();
const databases = await openDatabases({ durable: false });
const subjects: Subject[] = [];
try {
  subjects.push(await openBare());
  if (values.before !== undefined) subjects.push(await openSubject('before', values.before));
  subjects.push(await openSubject('after', values.after));
  const costs = new Map(subjects.map(({ name }) => [name, noCosts()]));
  for (const subject of subjects) {
    for (let pass = 0; pass < WARM_UP_PASSES; pass += 1) {
      await subject.pass(requests, (_, __, during) => during());
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    const inTurn = takeTurns();
    await Promise.all(
      (round % 2 === 0 ? subjects : subjects.toReversed()).map((subject) =>
        measureCosts({ subject, inTurn, into: costs.get(subject.name) ?? noCosts() }),
      ),
    );
  }
  const costRows = ROUTES.map((route) => costRow(route, costs));
  const partRows = await measureParts(costs);
  saveLast({ began, costRows, partRows, costs: [...costs] }, 'requests');
  console.log(renderTable(...tableOf(costRows)));
  console.log(renderTable(...tableOf(partRows)));
  const machine = describeMachine();
  if (values.save) {
    await saveSections('performance', {
      requests: renderSection(costRows, { began, machine }),
      'request parts': renderSection(partRows, { began, machine }),
    });
  }
} finally {
  for (const subject of subjects) await subject.close();
  await databases.close();
}

function noCosts(): Costs {
  return { start: [], claim: [], heartbeat: [], complete: [], report: [], steps: [], read: [] };
}

async function openBare(): Promise<Subject> {
  const script = new URL('support/bare-server.ts', import.meta.url);
  const child = fork(script, [String(await freePort())], { execArgv: [...METER_OPTIONS] });
  const [port] = (await once(child, 'message')) as [number];
  return {
    name: 'bare',
    meter: meterOf(child),
    pass: (count, measure) => callBareServer(`http://127.0.0.1:${port}`, count, measure),
    close: async () => child.disconnect(),
  };
}

async function openSubject(name: 'before' | 'after', checkout?: string): Promise<Subject> {
  const database: BenchDatabase = await databases.create('postgres');
  const runtime = await startRuntime({
    database,
    role: 'api',
    nodeOptions: METER_OPTIONS,
    ...(checkout !== undefined && { checkout }),
  });
  const passes = await openRequestPasses(runtime.url);
  return {
    name,
    meter: meterOf(runtime.process),
    pass: (count, measure) => passes.run(count, measure),
    async close() {
      passes.close();
      await runtime.stop();
      await database.drop();
    },
  };
}

/** One after the other, first come first served: so the subjects serve each route in turn. */
function takeTurns(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}

async function measureCosts(given: {
  readonly subject: Subject;
  readonly inTurn: ReturnType<typeof takeTurns>;
  readonly into: Costs;
}): Promise<void> {
  const { subject, inTurn, into } = given;
  await subject.pass(requests, (route, count, during) =>
    inTurn(async () => {
      const before = await subject.meter.cpuMicros();
      await during();
      into[route].push(((await subject.meter.cpuMicros()) - before) / count);
    }),
  );
}

/** One more pass of each runtime, with a profile of each route. */
async function measureParts(
  costs: ReadonlyMap<Subject['name'], Costs>,
): Promise<readonly Record<string, string>[]> {
  const shares = new Map<string, ReadonlyMap<string, number>>();
  for (const subject of subjects.filter(({ name }) => name !== 'bare')) {
    const { name, meter } = subject;
    await subject.pass(requests, async (route, _, during) => {
      shares.set(`${name} ${route}`, sharesOf(countParts(await meter.profile(during))));
    });
  }
  const micros = (name: Subject['name'], route: Route, part: string): string => {
    const share = shares.get(`${name} ${route}`)?.get(part) ?? 0;
    return show(share * (spread(costs.get(name)?.[route] ?? [])?.median ?? 0));
  };
  const hasBefore = values.before !== undefined;
  return PARTS.map((part) => ({
    part,
    ...Object.fromEntries(
      ROUTES.map((route) => [
        route,
        `${hasBefore ? `${micros('before', route, part)} → ` : ''}${micros('after', route, part)}`,
      ]),
    ),
  }));
}

function sharesOf(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const all = sumOf([...counts.values()]);
  return new Map([...counts].map(([part, count]) => [part, count / all]));
}

function costRow(route: Route, costs: ReadonlyMap<Subject['name'], Costs>): Record<string, string> {
  const of = (name: Subject['name']): readonly number[] => costs.get(name)?.[route] ?? [];
  const micros = (name: Subject['name']): string => show(spread(of(name))?.median ?? null);
  const ratio = (name: Subject['name'], to: Subject['name']): string => {
    const found = spread(of(name).map((cost, round) => cost / (of(to)[round] ?? NaN)));
    const ends = found === null ? '' : ` (${show(found.min, 2)}–${show(found.max, 2)})`;
    return `${show(found?.median ?? null, 2)}${ends}`;
  };
  return {
    route,
    'bare server µs': micros('bare'),
    ...(values.before !== undefined && { 'before µs': micros('before') }),
    'after µs': micros('after'),
    ...(values.before !== undefined && { 'after / before': ratio('after', 'before') }),
    'after / bare': ratio('after', 'bare'),
  };
}
