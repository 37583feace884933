import * as fs from 'node:fs';
import { join } from 'node:path';

import { whenThisProcessEnds } from '../chaos/cluster/guardian.ts';
import { Line } from '../chaos/proxy/line.ts';
import { freePort } from '../support/servers/ports.ts';
import { prepareServer } from '../support/servers/postgres-server.ts';
import { DatabaseNode } from './database-node.ts';
import type { FailoverDatabase, Promotion } from './failover-database.ts';
import { createServiceDatabase, ROLE, ServicePooler } from './service-database.ts';

/*
 * Three PostgreSQL servers: a primary, whose commits wait for one of its two standbys. The run
 * decides on promotions, as Patroni or an operator would: it promotes the standby that has received
 * most, makes the others follow it, and moves the front, a proxy that leads to the primary.
 *
 * Most processes of the service know all three servers. One API process reaches the front through
 * PgBouncer in transaction mode, and has a direct URL with all servers.
 */

const NAMES = ['node_1', 'node_2', 'node_3'] as const;
const CLEAN_UP = `for pid in "$1"/*/postmaster.pid; do kill -QUIT "$(head -n 1 "$pid")"; done
sleep 1
rm -rf "$1"`;

export class ReplicatedPostgres implements FailoverDatabase {
  readonly nodes: readonly DatabaseNode[];
  readonly front: Line;
  readonly pooler: ServicePooler;
  readonly #promotions: Promotion[] = [];
  readonly #folder: string;
  readonly #guardian: { readonly release: () => Promise<void> };
  #primary: DatabaseNode;

  static async create(folder: string): Promise<ReplicatedPostgres> {
    fs.mkdirSync(folder, { recursive: true });
    const guardian = whenThisProcessEnds(CLEAN_UP, [folder]);
    prepareServer(folder, ['--wal-segsize=4']);
    const settings = [`synchronous_standby_names=ANY 1 (${NAMES.join()})`];
    const nodes: DatabaseNode[] = [];
    for (const [index, name] of NAMES.entries()) {
      const port = await freePort();
      const own = index === 0 ? { dataFolder: join(folder, 'data') } : {};
      nodes.push(new DatabaseNode({ folder, name, port, settings, ...own }));
    }
    const [first, ...standbys] = nodes;
    if (first === undefined) throw new Error('there are no nodes');
    await first.start();
    for (const standby of standbys) await standby.follow(first);
    for (const standby of standbys) await first.waitForStandby(standby.name);
    await createServiceDatabase(first.url);
    const front = await Line.open({ name: 'front', protocol: 'postgres', targetPort: first.port });
    const pooler = await ServicePooler.create(folder, front.port);
    await pooler.start();
    return new ReplicatedPostgres({ folder, nodes, front, pooler, guardian, primary: first });
  }

  private constructor(params: {
    readonly folder: string;
    readonly nodes: readonly DatabaseNode[];
    readonly front: Line;
    readonly pooler: ServicePooler;
    readonly guardian: { readonly release: () => Promise<void> };
    readonly primary: DatabaseNode;
  }) {
    this.nodes = params.nodes;
    this.front = params.front;
    this.pooler = params.pooler;
    this.#folder = params.folder;
    this.#guardian = params.guardian;
    this.#primary = params.primary;
  }

  get primary(): DatabaseNode {
    return this.#primary;
  }

  get standbys(): readonly DatabaseNode[] {
    return this.nodes.filter((node) => node !== this.#primary);
  }

  get ports(): readonly number[] {
    return this.nodes.map(({ port }) => port);
  }

  get logFiles(): readonly string[] {
    return this.nodes.map(({ logFile }) => logFile);
  }

  /** Through the front, so that it stays the same over promotions. */
  get superuserUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.front.port}/${ROLE}`;
  }

  settingsThrough(member: string, ports: readonly number[]): Readonly<Record<string, string>> {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
    return this.pooler.settingsOf(member, hosts);
  }

  /**
   * The running standby that has received most becomes the primary; the others follow it. Only this
   * order loses nothing, with `ANY 1` of two standbys.
   */
  async promote(): Promise<DatabaseNode> {
    const running = this.standbys.filter((node) => node.isRunning);
    // Before the comparison: the other standby could confirm a commit after it.
    await Promise.all(running.map((node) => node.stopReceiving()));
    const received = await Promise.all(
      running.map(async (node) => ({ node, bytes: await node.readReceived() })),
    );
    const [best] = received.toSorted((one, other) => (one.bytes > other.bytes ? -1 : 1));
    if (best === undefined) throw new Error('no standby is left to promote');
    await best.node.promote();
    this.#primary = best.node;
    this.#promotions.push({ node: best.node.name, at: performance.now() });
    this.front.leadTo(best.node.port);
    for (const { node } of received) if (node !== best.node) node.followInstead(best.node);
    return best.node;
  }

  readPromotions(): Promise<readonly Promotion[]> {
    return Promise.resolve(this.#promotions);
  }

  async close(): Promise<void> {
    await this.pooler.stop();
    await Promise.all(this.nodes.map((node) => node.end('SIGQUIT')));
    await this.front.close();
    await this.#guardian.release();
    for (const part of ['bin', 'lib', 'share', ...this.nodes.map(({ dataFolder }) => dataFolder)]) {
      fs.rmSync(part.startsWith('/') ? part : join(this.#folder, part), {
        recursive: true,
        force: true,
      });
    }
  }
}
