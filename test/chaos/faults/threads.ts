import { sendRequest } from '../../support/http.ts';
import type { ChaosCluster } from '../cluster/cluster.ts';
import type { Member } from '../cluster/member.ts';
import { pickMember, type Fault } from './fault.ts';

const REQUESTS = 12;
const ANSWER_MS_MAX = 10_000;

/** Pool threads die while they check schemas that are too costly for the main thread. */
export const THREADS: Fault = {
  name: 'thread-death',
  fire: async (scene) => {
    const { cluster, dice } = scene;
    const member = pickMember(scene, 'api');
    if (member === null) return null;
    const threads = dice.pick(['exit', 'throw', 'memory'] as const);
    const before = countDeaths(member);
    member.order({ threads });
    const asked = Promise.all(
      Array.from({ length: REQUESTS }, () => askForThread(cluster, member.name)),
    );
    return {
      target: member.name,
      lastsMs: ANSWER_MS_MAX,
      over: asked,
      heal: async () => {
        member.relieve();
        const statuses = await asked;
        const deaths = countDeaths(member) - before;
        const after = await askForThread(cluster, member.name);
        return `${threads}: ${deaths} ended, answered ${statuses.join(' ')}, then ${after}`;
      },
    };
  },
};

function countDeaths(member: Member): number {
  return member.reached().filter((reached) => 'threadEnds' in reached).length;
}

/** Registers a definition with a pattern in its schema: patterns are checked on a thread. */
async function askForThread(cluster: ChaosCluster, api: string): Promise<number | string> {
  const url = cluster.directUrls[Number(api.split('-')[1]) - 1] ?? '';
  const ir = {
    workflow_id: 'thread',
    nodes: { only: { kind: 'pass' } },
    state_schema: { properties: { name: { type: 'string', pattern: '^[a-z]+$' } } },
  };
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const request = { path: '/workflows', token: cluster.apiKey, signal, body: { ir } };
    return (await sendRequest(url, request)).status;
  } catch {
    return 'nothing';
  }
}
