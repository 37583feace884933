import { SvcError } from '../../src/shared/domain/errors.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { StoreUnavailableError } from '../../src/shared/store/store.ts';
import type { Answer, Ask } from '../invariants/history.ts';
import type { Cluster, Member, Served } from './cluster.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Recorder } from './recorder.ts';
import type { World } from './world.ts';

/** A request of a client, and the call of its endpoint to the engine. */
export interface Request {
  readonly client: string;
  readonly tenantId: string;
  readonly asks: Ask;
  /** `carry` serves the request in `carried` at the same process. */
  readonly serve: (
    engine: Served,
    carry: () => Promise<void>,
  ) => Promise<{ status?: number; body: JsonObject }>;
  readonly carried?: Request;
  /** How long its client waits for the answer; absent: a second. */
  readonly timeoutMs?: number;
}

/** The network between clients and the processes that answer. */
export interface Network {
  /** Null: no answer within the timeout. */
  send(request: Request): Promise<Answer | null>;
  /**
   * When the last of the doubled requests so far arrives. A start that was refused may be accepted then,
   * although its client waits for nothing.
   */
  lastCopyAt(): number;
}

export const CLIENT_TIMEOUT_MS = 1_000;
/** The share of clients that keep their connection, and so their process, as long as it serves. */
const KEEPS_CONNECTION = 0.5;

export function createNetwork(params: {
  readonly world: World;
  readonly cluster: Cluster;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly dice: Dice;
}): Network {
  const { world, cluster, faults, recorder, dice } = params;
  const latencyMs = () => 0.5 + dice.fraction() * 4;
  let lastCopyAt = 0;
  /** Null: the client connects for each request. */
  const connections = new Map<string, Member | null>();

  function connect(client: string, servers: readonly Member[]): Member {
    const kept = connections.get(client);
    if (kept && servers.includes(kept)) return kept;
    const member = dice.pick(servers);
    const isKept = kept !== null && (kept !== undefined || dice.chance(KEEPS_CONNECTION));
    connections.set(client, isKept ? member : null);
    return member;
  }

  function deliver(request: Request, onAnswer: (answer: Answer) => void): void {
    const servers = cluster.servers();
    if (servers.length === 0) return;
    const member = connect(request.client, servers);
    member.process.enter(() => void serve(member, request, onAnswer));
  }

  async function serve(
    of: Member,
    request: Request,
    onAnswer: (answer: Answer) => void,
  ): Promise<void> {
    const answer = await answerAt(of, request);
    if (faults.strikes('reply_lost')) return;
    const lateMs = faults.strikes('reply_late') ? CLIENT_TIMEOUT_MS * dice.fraction() * 2 : 0;
    world.after(latencyMs() + lateMs, () => onAnswer(answer));
  }

  async function answerAt(of: Member, request: Request): Promise<Answer> {
    const deed = recorder.begin(request);
    const answer = await answerOf(of, request);
    world.note(`${request.client} ${request.asks.do} ${of.process.name} ${answer.status}`);
    recorder.count(`${request.asks.do} ${answer.status}`);
    deed.answer(answer);
    return answer;
  }

  async function answerOf(of: Member, request: Request): Promise<Answer> {
    const { carried } = request;
    const carry = async () => {
      if (carried === undefined) return;
      recorder.count(`${carried.asks.do} with ${request.asks.do}`);
      await answerAt(of, carried);
    };
    try {
      const { status = 200, body } = await request.serve(of.engine, carry);
      return { status, body };
    } catch (error) {
      if (error instanceof SvcError) {
        return { status: error.status, body: { error: error.message, ...error.body } };
      }
      if (error instanceof StoreUnavailableError) {
        return { status: 503, body: { error: error.message } };
      }
      recorder.trouble(`${of.process.name}: answering ${request.asks.do}`, error);
      return { status: 500, body: { error: String(error) } };
    }
  }

  return {
    send: (request) =>
      new Promise((resolve) => {
        world.after(request.timeoutMs ?? CLIENT_TIMEOUT_MS, () => resolve(null));
        if (faults.strikes('request_lost')) return;
        const copies = faults.strikes('request_doubled') ? 2 : 1;
        for (let copy = 0; copy < copies; copy += 1) {
          const afterMs = latencyMs() + copy * dice.fraction() * 500;
          if (copy > 0) lastCopyAt = Math.max(lastCopyAt, world.now() + afterMs);
          world.after(afterMs, () => deliver(request, resolve));
        }
      }),
    lastCopyAt: () => lastCopyAt,
  };
}
