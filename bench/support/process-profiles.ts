import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { countParts, OUTSIDE_PARTS, PARTS } from './profile-parts.ts';
import { show } from './render.ts';
import { sumOf } from './statistics.ts';

/*
 * The processor profiles that Node writes of every process of a workload, reduced to its window. V8 takes
 * the times of its samples from the monotonic clock, which all processes of a machine share.
 */

/** In microseconds of the monotonic clock. */
export interface ProfiledWindow {
  readonly from: number;
  readonly to: number;
}

export interface ProcessProfile {
  /** The part that the process has in its workload. */
  readonly name: string;
  /** The share of all samples in which the process did something. */
  readonly busy: number;
  /** Shares of the samples in which it did something. */
  readonly parts: ReadonlyMap<string, number>;
  readonly functions: ReadonlyMap<string, number>;
}

export interface ProfileFolder extends Disposable {
  /** For the environment of the processes. */
  readonly nodeOptions: string;
  read(window: ProfiledWindow): readonly ProcessProfile[];
}

const SAMPLE_MICROS = 500;
/** A process that does less, such as a thread that waits, is not shown. */
const BUSY_MIN = 0.02;
const FUNCTIONS_SHOWN = 12;

/** Processes run the sources, because the names of their files divide them into parts. */
export function openProfileFolder(): ProfileFolder {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-profiles-'));
  return {
    nodeOptions: [
      '--conditions=svc-source',
      '--cpu-prof',
      `--cpu-prof-dir=${folder}`,
      `--cpu-prof-interval=${SAMPLE_MICROS}`,
    ].join(' '),
    read: (window) => {
      const profiles = readdirSync(folder).map(
        (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profiler.Profile,
      );
      return describeProcesses(profiles, window);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** Those that were busy in the window, the busiest first. */
export function describeProcesses(
  profiles: readonly Profiler.Profile[],
  window: ProfiledWindow,
): readonly ProcessProfile[] {
  return profiles
    .map((profile) => describe(profile, window))
    .filter(({ busy }) => busy >= BUSY_MIN)
    .toSorted((left, right) => right.busy - left.busy);
}

function describe(profile: Profiler.Profile, window: ProfiledWindow): ProcessProfile {
  const name = nameOf(profile);
  const nodes = countWithin(profile, window);
  const parts = countParts({ nodes });
  const counted = sumOf([...parts.values()]);
  const all = sumOf(nodes.map(({ hitCount = 0 }) => hitCount));
  const functions = new Map<string, number>();
  for (const { callFrame, hitCount = 0 } of nodes) {
    if (hitCount === 0 || callFrame.functionName === '(idle)') continue;
    const of = functionName(callFrame);
    functions.set(of, (functions.get(of) ?? 0) + hitCount / counted);
  }
  return {
    name,
    busy: all === 0 ? 0 : counted / all,
    parts: new Map([...parts].map(([part, count]) => [part, count / counted])),
    functions,
  };
}

/** The nodes of the profile with their samples within the window. */
function countWithin(
  { nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  { from, to }: ProfiledWindow,
): Profiler.ProfileNode[] {
  const counts = new Map<number, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    if (at >= from && at < to) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return nodes.map((node) => ({ ...node, hitCount: counts.get(node.id) ?? 0 }));
}

const NAMES: readonly (readonly [string, RegExp])[] = [
  ['worker', /\/bench\/support\/(served-steps|worker)-process\.ts$/],
  ['scheduler', /\/bench\/support\/scheduler-process\.ts$/],
  ['workload', /\/bench\/run-cell\.ts$/],
  ['api', /\/src\/api\/endpoints\//],
  ['scheduler', /\/src\/scheduler\//],
];

/** A process of the product that serves the API is called `api`, also if it runs a scheduler. */
function nameOf({ nodes }: Profiler.Profile): string {
  const isOf = (place: RegExp): boolean => nodes.some(({ callFrame }) => place.test(callFrame.url));
  return NAMES.find(([, place]) => isOf(place))?.[0] ?? 'other';
}

function functionName({ functionName: name, url, lineNumber }: Frame): string {
  if (url === '') return name;
  const place = url.replace(/^.*\/(?=(src|sdk|bench|bin|node_modules)\/)/, '');
  return `${name || '(anonymous)'} ${place}:${lineNumber + 1}`;
}

type Frame = Profiler.ProfileNode['callFrame'];

/** The shares of each part, one column a process. */
export function partTable(
  workload: string,
  profiles: readonly ProcessProfile[],
): [head: readonly string[], rows: readonly (readonly string[])[]] {
  const percent = (share: number): string => `${show(share * 100)} %`;
  return [
    [workload, ...profiles.map(({ name }) => name)],
    [
      ['busy', ...profiles.map(({ busy }) => percent(busy))],
      ...[...OUTSIDE_PARTS, ...PARTS].map((part) => [
        part,
        ...profiles.map(({ parts }) => percent(parts.get(part) ?? 0)),
      ]),
    ],
  ];
}

export const FUNCTION_HEAD = ['process', 'own time', 'function'] as const;

/** The functions with the most time of their own. */
export function functionRows(profiles: readonly ProcessProfile[]): readonly (readonly string[])[] {
  return profiles.flatMap(({ name, functions }) =>
    [...functions]
      .toSorted(([, left], [, right]) => right - left)
      .slice(0, FUNCTIONS_SHOWN)
      .map(([of, share]) => [name, `${show(share * 100, 1)} %`, of]),
  );
}
