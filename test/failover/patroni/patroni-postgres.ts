import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { FailoverDatabase, Promotion } from '../failover-database.ts';
import { createServiceDatabase, ROLE, ServicePooler } from '../service-database.ts';
import { HaProxy } from './haproxy.ts';
import { addressOf, createNetwork, type Link } from './network.ts';
import { PatroniNode } from './patroni-node.ts';
import { SERVER_PORT } from './patroni-settings.ts';

/*
 * Three nodes, each with Patroni, PostgreSQL and a member of etcd. Patroni alone decides on
 * promotions. Most processes of the service know the three servers, half of them over link `a`, and
 * half over link `b`. One API process reaches the primary through PgBouncer and HAProxy, which asks
 * each Patroni over link `a`.
 */

const NUMBERS = [1, 2, 3] as const;
const OVER_B = ['api-1', 'scheduler-2'];
const START_MS_MAX = 60_000;
const LOOK_EVERY_MS = 200;

const PROMOTED = /^([\d-]+ [\d:]+),(\d+) INFO: promoted self to leader/gm;

interface NodeState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

export class PatroniPostgres implements FailoverDatabase {
  /** The processes of the service reach the servers without lines. */
  readonly ports = [];
  readonly nodes: readonly PatroniNode[];
  readonly front: HaProxy;
  readonly pooler: ServicePooler;
  readonly #folder: string;
  readonly #isSynchronous: boolean;

  static async create(
    folder: string,
    { isSynchronous }: { readonly isSynchronous: boolean },
  ): Promise<PatroniPostgres> {
    createNetwork(NUMBERS.length);
    const data = join(folder, 'data');
    fs.mkdirSync(data, { recursive: true });
    const nodes = NUMBERS.map(
      (number) =>
        new PatroniNode({ number, of: NUMBERS, folder: data, logs: folder, isSynchronous }),
    );
    const front = await HaProxy.create(folder, NUMBERS);
    const pooler = await ServicePooler.create(folder, front.port);
    const database = new PatroniPostgres({ folder, nodes, front, pooler, isSynchronous });
    await database.#start();
    return database;
  }

  private constructor(params: {
    readonly folder: string;
    readonly nodes: readonly PatroniNode[];
    readonly front: HaProxy;
    readonly pooler: ServicePooler;
    readonly isSynchronous: boolean;
  }) {
    this.nodes = params.nodes;
    this.front = params.front;
    this.pooler = params.pooler;
    this.#folder = params.folder;
    this.#isSynchronous = params.isSynchronous;
  }

  async #start(): Promise<void> {
    for (const node of this.nodes) node.startEtcd(NUMBERS);
    const [first, ...others] = this.nodes;
    first?.startPatroni();
    await this.findPrimary(START_MS_MAX);
    for (const node of others) node.startPatroni();
    await this.waitUntilWhole(START_MS_MAX);
    await this.front.start('primary');
    await this.pooler.start();
    const { url } = await this.findPrimary(START_MS_MAX);
    await createServiceDatabase(url);
  }

  get logFiles(): readonly string[] {
    return this.nodes.map(({ logFile }) => logFile);
  }

  /** Through the proxy, so that it stays the same over promotions. */
  get superuserUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.front.port}/${ROLE}`;
  }

  settingsThrough(member: string): Readonly<Record<string, string>> {
    const link: Link = OVER_B.includes(member) ? 'b' : 'a';
    const hosts = NUMBERS.map((number) => `${addressOf(number, link)}:${SERVER_PORT}`).join();
    return this.pooler.settingsOf(member, hosts);
  }

  /** As the nodes logged them: Patroni's history lacks the times of some. */
  async readPromotions(): Promise<readonly Promotion[]> {
    const began = Date.now() - performance.now();
    const promotions = this.nodes.flatMap(({ name, logFile }) =>
      [...fs.readFileSync(logFile, 'utf8').matchAll(PROMOTED)].map(([, time = '', part = '']) => ({
        node: name,
        at: Date.parse(`${time}.${part}`) - began,
      })),
    );
    return promotions.toSorted((one, other) => one.at - other.at);
  }

  /** The node that says it is the primary and has the leader key. */
  async findPrimary(withinMs: number, except: PatroniNode | null = null): Promise<PatroniNode> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const found = await this.#firstThat(
        async (node) => node !== except && (await node.isPrimary()),
      );
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw new Error(`no primary after ${withinMs} ms`);
      await delay(LOOK_EVERY_MS);
    }
  }

  /** A standby that Patroni would promote, as the primary sees it. The primary may be choosing another. */
  async findStandby(): Promise<PatroniNode> {
    const wanted = this.#isSynchronous ? 'sync_standby' : 'replica';
    const deadline = performance.now() + START_MS_MAX;
    for (;;) {
      const primary = await this.findPrimary(START_MS_MAX);
      const members = membersOf((await primary.ask('/cluster'))?.body);
      const name = members.find(({ role }) => role === wanted)?.name;
      const found = this.nodes.find((node) => node.name === name);
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw new Error(`no node is a ${wanted}`);
      await delay(LOOK_EVERY_MS);
    }
  }

  /** As a node that answers sees it; without a primary, nobody changes that. */
  async hasSynchronousStandby(): Promise<boolean> {
    const states = await Promise.all(this.nodes.map((node) => node.ask('/cluster')));
    return states.some((state) =>
      membersOf(state?.body).some(({ role }) => role === 'sync_standby'),
    );
  }

  /** Waits until one primary has two standbys that follow it, one of them synchronous. */
  async waitUntilWhole(withinMs = WHOLE_MS_MAX): Promise<void> {
    const deadline = performance.now() + withinMs;
    let seen: unknown = null;
    for (;;) {
      const states = await Promise.all(this.nodes.map((node) => node.ask('/cluster')));
      seen = states.map((state) => state?.body);
      // After a loss of etcd its members are as they were before, while the primary is still demoted.
      const primary = await this.#firstThat((node) => node.isPrimary());
      if (primary !== undefined && states.every((state) => this.#isWhole(state?.body))) return;
      if (performance.now() > deadline) {
        throw new Error(`not whole after ${withinMs} ms: ${JSON.stringify(seen)}`);
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  #isWhole(body: unknown): boolean {
    const members = membersOf(body);
    const roles = members.map(({ role }) => role);
    const [timeline] = members.map((member) => member.timeline);
    return (
      members.length === NUMBERS.length &&
      roles.includes('leader') &&
      (!this.#isSynchronous || roles.includes('sync_standby')) &&
      members.every(
        (member) => ['running', 'streaming'].includes(member.state) && member.timeline === timeline,
      )
    );
  }

  async #firstThat(
    holds: (node: PatroniNode) => Promise<boolean>,
  ): Promise<PatroniNode | undefined> {
    const answers = await Promise.all(this.nodes.map(holds));
    return this.nodes.find((_, index) => answers[index]);
  }

  start(node: PatroniNode): void {
    node.startEtcd(NUMBERS);
    node.startPatroni();
  }

  async close(): Promise<void> {
    await this.pooler.stop();
    await this.front.stop();
    await Promise.all(this.nodes.map((node) => node.crash()));
    await Promise.all(this.nodes.map((node) => node.disk.unmount()));
    fs.rmSync(join(this.#folder, 'data'), { recursive: true, force: true });
  }
}

const WHOLE_MS_MAX = 60_000;

function membersOf(body: unknown): readonly NodeState[] {
  return (body as { readonly members?: readonly NodeState[] } | undefined)?.members ?? [];
}
