import type { Dice } from '../../simulation/dice.ts';
import type { ChaosCluster } from '../cluster/cluster.ts';
import type { Member, MemberKind } from '../cluster/member.ts';
import type { Reached } from '../preload/failpoints.ts';
import { pickMember, type Fault } from './fault.ts';
import { bringBack } from './processes.ts';

const REACHED_MS_MAX = 8_000;

/**
 * A process dies at a named place: just before it sends a statement that writes, or after the
 * server has executed it and before the caller has the answer. Places without a hit come first.
 */
export const FAILPOINTS: Fault = {
  name: 'failpoint',
  // There are dozens of places.
  share: 6,
  fire: async (scene) => {
    const { cluster, dice } = scene;
    const member = pickMember(scene, 'api', 'scheduler', 'cleaner');
    if (member === null) return null;
    const at = drawFailpoints(cluster, member, dice);
    if (Object.keys(at).length === 0) return null;
    const hitsBefore = hitsOf(member).length;
    member.order({ failpoint: { at, nth: dice.between(1, 3) } });
    return {
      target: member.name,
      lastsMs: REACHED_MS_MAX,
      over: member.ended(),
      heal: async () => {
        member.relieve();
        const [hit] = hitsOf(member).slice(hitsBefore);
        const place = hit === undefined ? 'not reached' : `${hit.when} ${hit.hit}`;
        const late = await bringBack(member);
        return late === undefined ? place : `${place}, ${late}`;
      },
    };
  },
};

/** The same at a change that is rare among the writes. */
function failpointAt(
  of: string,
  { kind, words }: { readonly kind: MemberKind; readonly words: readonly string[] },
): Fault {
  return {
    name: `failpoint-${of}`,
    share: 2,
    fire: async ({ cluster, dice, isStruck }) => {
      const free = cluster.membersOf(kind).filter(({ name }) => !isStruck(name));
      const statements = listFailpoints(cluster).filter(
        (known) => known.kind === kind && words.some((word) => known.statement.includes(word)),
      );
      if (free.length === 0 || statements.length === 0) return null;
      const member = dice.pick(free);
      const hitsBefore = hitsOf(member).length;
      const at = Object.fromEntries(
        statements.map(({ statement }) => [statement, dice.pick(['before', 'after'] as const)]),
      );
      member.order({ failpoint: { at, nth: 1 } });
      return {
        target: member.name,
        lastsMs: RARE_MS_MAX,
        // The cleaner runs often, and a later life may reach the place.
        ...(kind === 'cleaner' ? {} : { over: member.ended() }),
        heal: async () => {
          member.relieve();
          const [hit] = hitsOf(member).slice(hitsBefore);
          const place = hit === undefined ? 'not reached' : `${hit.when} ${hit.hit}`;
          const late = await bringBack(member);
          return late === undefined ? place : `${place}, ${late}`;
        },
      };
    },
  };
}

const RARE_MS_MAX = 15_000;

export const RARE_FAILPOINTS: readonly Fault[] = [
  failpointAt('pause', { kind: 'api', words: ['ExecutionPaused', 'ExecutionResumed'] }),
  failpointAt('retry', { kind: 'api', words: ['retried_from'] }),
  failpointAt('import', { kind: 'api', words: ['import_execution'] }),
  failpointAt('removal', { kind: 'cleaner', words: ['retire_executions'] }),
];

export type When = 'before' | 'after';

export interface Failpoint {
  readonly kind: string;
  readonly statement: string;
  readonly when: When;
  readonly hits: number;
}

/** Counts, for every statement that processes have sent, their deaths before and after it. */
export function listFailpoints(cluster: ChaosCluster): readonly Failpoint[] {
  const hits = new Map<string, number>();
  for (const member of cluster.membersOf('api', 'scheduler', 'cleaner')) {
    for (const reached of member.reached()) {
      if ('seen' in reached) {
        for (const when of ['before', 'after']) {
          const key = `${member.kind}|${reached.seen}|${when}`;
          hits.set(key, hits.get(key) ?? 0);
        }
      } else if ('hit' in reached) {
        const key = `${member.kind}|${reached.hit}|${reached.when}`;
        hits.set(key, (hits.get(key) ?? 0) + 1);
      }
    }
  }
  return [...hits]
    .map(([key, count]) => {
      const [kind = '', statement = '', when] = key.split('|');
      return { kind, statement, when: when as When, hits: count };
    })
    .toSorted((one, other) =>
      `${one.kind} ${one.statement} ${one.when}`.localeCompare(
        `${other.kind} ${other.statement} ${other.when}`,
      ),
    );
}

/**
 * Usually draws from the places with the fewest hits, and sometimes from all, because the rest may
 * be rare.
 */
function drawFailpoints(
  cluster: ChaosCluster,
  { kind }: Member,
  dice: Dice,
): Readonly<Record<string, When>> {
  const known = listFailpoints(cluster).filter((failpoint) => failpoint.kind === kind);
  const fewest = Math.min(...known.map(({ hits }) => hits));
  const open = dice.chance(RARE_SHARE) ? known.filter(({ hits }) => hits === fewest) : known;
  const drawn = Map.groupBy(open, ({ statement }) => statement);
  return Object.fromEntries(
    [...drawn].map(([statement, choices]) => [statement, dice.pick(choices).when]),
  );
}

const RARE_SHARE = 0.75;

function hitsOf(member: Member): readonly Extract<Reached, { hit: string }>[] {
  return member.reached().filter((reached) => 'hit' in reached);
}
