import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createDice, type Dice } from '../simulation/dice.ts';
import { expectStatus } from '../support/tenant.ts';
import type { Runtime } from '../support/runtime.ts';
import { exchange, type Exchange } from '../support/exchange.ts';
import { judgeAnswer, judgeRaw, type Verdict } from './judge.ts';
import { readOperations, type FuzzOperation } from './operations.ts';
import { drawRawShape, type RawShape } from './raw-shapes.ts';
import { bytesOf, draftOf, drawRequest, simplerThan, type FuzzRequest } from './requests.ts';
import { compareStates, readQuietState, readState } from './watch-state.ts';
import { readUse, watchHealth } from './watch-process.ts';
import { fillWorld, type World } from './world.ts';

export interface Finding {
  readonly seed: string;
  readonly round: number;
  readonly rule: string;
  readonly detail: string;
  /** A route, or `socket`. */
  readonly operation: string;
  /** What was changed in a request that succeeds. */
  readonly mutations: readonly string[];
  readonly bytes: Buffer;
  /** What came back, in short; empty when nothing did. */
  readonly answer: string;
}

export interface CampaignReport {
  readonly seed: string;
  readonly rounds: number;
  readonly requests: number;
  /** Of each route, and of each shape of bytes: answers to good and to changed requests, by status. */
  readonly operations: Readonly<Record<string, OperationCounts>>;
  readonly shapes: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** Requests that should have succeeded and were refused, while no others were under way. */
  readonly misses: Readonly<Record<string, string>>;
  /** Requests refused with a 4xx after which every row of the database was looked at. */
  readonly stateChecked: number;
  /** Batches whose background never came to rest, so that nothing could be compared. */
  readonly unquiet: number;
  readonly memoryMb: { readonly first: number; readonly highest: number; readonly last: number };
  /** Of one request sent alone. */
  readonly longestCpuMs: number;
  readonly longestHealthMs: number;
}

export interface OperationCounts {
  readonly valid: Record<string, number>;
  readonly mutated: Record<string, number>;
}

export interface Limits {
  readonly memoryGrowthMb: number;
  readonly cpuMs: number;
  readonly healthMs: number;
}

const ROUND_BATCHES = 16;
const BATCH_REQUESTS = 24;
const ROUND_SHAPES = 60;
const STORM_REQUESTS = 200;
const STORM_AT_ONCE = 16;
const SHAPES_AT_ONCE = 8;
const FINDINGS_MAX = 12;

/** Rounds of hostile input against one process, until the time is up or enough was found. */
export async function runCampaign(params: {
  readonly runtime: Runtime;
  readonly databaseUrl: string;
  readonly seed: string;
  /** Of a server that nobody may be sent to. */
  readonly trap: { readonly port: number; readonly visits: () => number };
  readonly limits: Limits;
  readonly goesOn: (rounds: number) => boolean;
  readonly progress: (text: string) => void;
}): Promise<CampaignReport> {
  const { runtime, seed, goesOn, progress } = params;
  const document = expectStatus(await runtime.request<JsonObject>({ path: '/openapi.json' }), 200);
  const campaign = new Campaign({ ...params, operations: readOperations(document) });
  let rounds = 0;
  while (goesOn(rounds) && !campaign.hasEnough()) {
    await campaign.round(rounds);
    rounds += 1;
    progress(`round ${rounds} of seed ${seed}: ${campaign.summary()}`);
  }
  return campaign.report(rounds);
}

class Campaign {
  readonly #runtime: Runtime;
  readonly #databaseUrl: string;
  readonly #seed: string;
  readonly #trap: { readonly port: number; readonly visits: () => number };
  readonly #limits: Limits;
  readonly #operations: readonly FuzzOperation[];
  readonly #port: number;
  readonly #counts = new Map<string, OperationCounts>();
  readonly #shapes = new Map<string, number>();
  readonly #findings = new Map<string, Finding>();
  readonly #goesOn: () => boolean;
  readonly #misses = new Map<string, string>();
  #requests = 0;
  #isStorm = false;
  #stateChecked = 0;
  #unquiet = 0;
  #round = 0;
  #n = 0;
  #memory = { first: 0, highest: 0, last: 0 };
  #longestCpuMs = 0;
  #longestHealthMs = 0;

  constructor(
    params: Parameters<typeof runCampaign>[0] & { readonly operations: readonly FuzzOperation[] },
  ) {
    this.#runtime = params.runtime;
    this.#databaseUrl = params.databaseUrl;
    this.#seed = params.seed;
    this.#trap = params.trap;
    this.#limits = params.limits;
    this.#operations = params.operations;
    this.#port = Number(new URL(params.runtime.url).port);
    for (const { name } of params.operations) this.#counts.set(name, { valid: {}, mutated: {} });
    this.#goesOn = () => params.goesOn(this.#round);
  }

  hasEnough(): boolean {
    return this.#findings.size >= FINDINGS_MAX;
  }

  summary(): string {
    const { highest, last } = this.#memory;
    return (
      `${this.#requests} requests, ${this.#stateChecked} compared, ${this.#findings.size} findings, ` +
      `memory ${last.toFixed(0)} MB (at most ${highest.toFixed(0)})`
    );
  }

  async round(round: number): Promise<void> {
    this.#round = round;
    this.#n = round * 1_000_000;
    const dice = createDice(`${this.#seed}/${round}`);
    const world = await fillWorld(this.#runtime, `${this.#seed}-${round}`.toLowerCase());
    await this.#sendValid(world, dice.fork('valid'));
    await this.#look();
    if (round === 0) this.#memory.first = this.#memory.last;
    for (let batch = 0; batch < ROUND_BATCHES && this.#goesOn(); batch += 1) {
      await this.#sendBatch(world, dice.fork(`batch ${batch}`), batch);
    }
    const health = watchHealth(this.#runtime.url);
    await this.#sendShapes(dice.fork('shapes'));
    await this.#look();
    this.#isStorm = true;
    await this.#storm(world, dice.fork('storm'));
    this.#isStorm = false;
    await health.stop();
    this.#longestHealthMs = Math.max(this.#longestHealthMs, health.longestMs());
    await this.#look();
    await this.#retire(world);
  }

  report(rounds: number): CampaignReport {
    const grown = this.#memory.last - this.#memory.first;
    if (grown > this.#limits.memoryGrowthMb) {
      this.#findRun('memory stays bounded', `grew by ${grown.toFixed(0)} MB`);
    }
    if (this.#longestHealthMs > this.#limits.healthMs) {
      this.#findRun(
        'others are answered meanwhile',
        `/health took ${this.#longestHealthMs.toFixed(0)} ms`,
      );
    }
    for (const line of this.#runtime.errors().slice(0, 3))
      this.#findRun('no error is logged', line);
    return {
      seed: this.#seed,
      rounds,
      requests: this.#requests,
      operations: Object.fromEntries(this.#counts),
      shapes: Object.fromEntries(this.#shapes),
      findings: [...this.#findings.values()],
      misses: Object.fromEntries(this.#misses),
      stateChecked: this.#stateChecked,
      unquiet: this.#unquiet,
      memoryMb: this.#memory,
      longestCpuMs: this.#longestCpuMs,
      longestHealthMs: this.#longestHealthMs,
    };
  }

  async #sendValid(world: World, dice: Dice): Promise<void> {
    for (const operation of this.#operations) {
      const request = this.#draw({
        world,
        dice: dice.fork(operation.name),
        operation,
        isHostile: false,
      });
      await this.#send(request, 'valid');
    }
  }

  /**
   * Requests one after the other. Whatever is refused must have changed nothing: those that were are
   * sent again, as the others may have changed something, between two looks at the whole database.
   */
  async #sendBatch(world: World, dice: Dice, batch: number): Promise<void> {
    const requests = Array.from({ length: BATCH_REQUESTS }, (_, index) => {
      const at = (batch * BATCH_REQUESTS + index) % this.#operations.length;
      const operation = this.#operations[at] as FuzzOperation;
      return this.#draw({ world, dice: dice.fork(String(index)), operation, isHostile: true });
    });
    const refused: FuzzRequest[] = [];
    for (const request of requests) {
      const before = await readUse(this.#runtime.pid);
      const isRefused = await this.#send(request, 'mutated');
      const after = await readUse(this.#runtime.pid);
      const cpuMs = (after?.cpuMs ?? 0) - (before?.cpuMs ?? 0);
      this.#longestCpuMs = Math.max(this.#longestCpuMs, cpuMs);
      if (cpuMs > this.#limits.cpuMs) {
        this.#find(
          { rule: 'one request takes little time', detail: `${cpuMs} ms of a processor` },
          request,
          null,
        );
      }
      if (isRefused) refused.push(request);
    }
    await this.#compare(refused);
  }

  async #compare(refused: readonly FuzzRequest[]): Promise<void> {
    const before = await readQuietState(this.#databaseUrl);
    if (before === null) {
      this.#unquiet += 1;
      return;
    }
    const again: FuzzRequest[] = [];
    for (const request of refused) {
      if (await this.#send(request, null)) again.push(request);
    }
    // One that succeeds now because others did meanwhile has changed something for good reason.
    if (again.length < refused.length) return this.#compare(again);
    if (compareStates(before, await readState(this.#databaseUrl)).length === 0) {
      this.#stateChecked += refused.length;
      return;
    }
    for (const request of refused) {
      const alone = await readQuietState(this.#databaseUrl);
      if (alone === null || !(await this.#send(request, null))) continue;
      const changes = compareStates(alone, await readState(this.#databaseUrl));
      this.#stateChecked += 1;
      if (changes.length === 0) continue;
      const detail = changes.slice(0, 4).join('\n').slice(0, 1_000);
      this.#find({ rule: 'what is refused changes nothing', detail }, request, null);
    }
  }

  async #sendShapes(dice: Dice): Promise<void> {
    const shapes = Array.from({ length: ROUND_SHAPES }, (_, index) =>
      drawRawShape(dice.fork(String(index)), { token: this.#runtime.apiKey }),
    );
    await atOnce(shapes, SHAPES_AT_ONCE, (shape) => this.#sendShape(shape));
  }

  async #sendShape(shape: RawShape): Promise<void> {
    const { parts } = shape;
    const got = await exchange({
      port: this.#port,
      parts,
      answersDue: shape.expected.length,
      isCutOff: shape.isCutOff,
    });
    this.#requests += 1;
    this.#shapes.set(shape.name, (this.#shapes.get(shape.name) ?? 0) + 1);
    for (const verdict of judgeRaw(got, shape)) {
      this.#keep(`socket ${verdict.rule} ${verdict.detail}`, {
        ...verdict,
        operation: 'socket',
        mutations: [shape.name],
        bytes: Buffer.concat(parts),
        answer: describeExchange(got),
      });
    }
  }

  async #storm(world: World, dice: Dice): Promise<void> {
    const requests = Array.from({ length: STORM_REQUESTS }, (_, index) => {
      const own = dice.fork(String(index));
      const operation = own.pick(this.#operations);
      return this.#draw({ world, dice: own, operation, isHostile: own.chance(0.9) });
    });
    await atOnce(requests, STORM_AT_ONCE, async (request) => {
      await this.#send(request, request.mutations.length === 0 ? 'valid' : 'mutated');
    });
  }

  /** Nothing of an old world goes on: what it has left to do is nobody's background work. */
  async #retire({ tenantId, spareTenantId }: World): Promise<void> {
    for (const id of [tenantId, spareTenantId]) {
      await this.#runtime.request({
        method: 'PUT',
        path: `/tenants/${id}`,
        body: { status: 'archived' },
      });
    }
  }

  #draw(given: {
    readonly world: World;
    readonly dice: Dice;
    readonly operation: FuzzOperation;
    readonly isHostile: boolean;
  }): FuzzRequest {
    this.#n += 1;
    return drawRequest({
      ...given,
      token: this.#runtime.apiKey,
      n: this.#n,
      trapPort: this.#trap.port,
    });
  }

  /** Whether it was refused with a 4xx. `counted`: as what; null: it was sent before. */
  async #send(request: FuzzRequest, counted: 'valid' | 'mutated' | null): Promise<boolean> {
    const visits = this.#trap.visits();
    const { status, verdicts, got } = await this.#judge(request);
    this.#requests += 1;
    if (counted !== null) {
      const counts = this.#counts.get(request.operation.name)?.[counted] ?? {};
      counts[status] = (counts[status] ?? 0) + 1;
    }
    if (counted === 'valid' && status >= 400 && !this.#isStorm) {
      this.#misses.set(request.operation.name, describeExchange(got));
    }
    for (const verdict of verdicts) {
      const smallest = await this.#shrink(request, verdict.rule);
      this.#find(verdict, smallest, got);
    }
    if (this.#trap.visits() > visits) {
      this.#find(
        { rule: 'nobody is sent inside', detail: 'the watched server was asked' },
        request,
        got,
      );
    }
    return status >= 400 && status < 500;
  }

  async #judge(request: FuzzRequest): Promise<{
    readonly status: number;
    readonly verdicts: readonly Verdict[];
    readonly got: Exchange;
  }> {
    const { method } = draftOf(request);
    const got = await exchange({
      port: this.#port,
      parts: [bytesOf(request)],
      answersDue: 1,
      isHead: method === 'HEAD',
    });
    const [answer] = got.answers;
    if (answer === undefined) {
      const detail = `${got.end} after ${got.ms.toFixed(0)} ms`;
      return { status: 0, verdicts: [{ rule: 'every request is answered', detail }], got };
    }
    const verdicts = [...judgeAnswer(answer, request.operation, method)];
    if (got.answers.length > 1) {
      verdicts.push({
        rule: 'one request has one answer',
        detail: `${got.answers.length} answers`,
      });
    }
    return { status: answer.status, verdicts, got };
  }

  /** Leaves out one change after the other as long as the same rule stays broken. */
  async #shrink(request: FuzzRequest, rule: string): Promise<FuzzRequest> {
    for (const simpler of simplerThan(request)) {
      const { verdicts } = await this.#judge(simpler);
      if (verdicts.some((verdict) => verdict.rule === rule)) return this.#shrink(simpler, rule);
    }
    return request;
  }

  async #look(): Promise<void> {
    const use = await readUse(this.#runtime.pid);
    if (use === null) {
      this.#findRun('the process lives on', 'it is gone');
      return;
    }
    const megabytes = use.memoryBytes / 1024 / 1024;
    this.#memory = {
      ...this.#memory,
      highest: Math.max(this.#memory.highest, megabytes),
      last: megabytes,
    };
  }

  #find(verdict: Verdict, request: FuzzRequest, got: Exchange | null): void {
    const [answer] = got?.answers ?? [];
    this.#keep(`${request.operation.name} ${verdict.rule} ${answer?.status ?? ''}`, {
      ...verdict,
      operation: request.operation.name,
      mutations: request.mutations.map(({ name }) => name),
      bytes: bytesOf(request),
      answer: got === null ? '' : describeExchange(got),
    });
  }

  #findRun(rule: string, detail: string): void {
    this.#keep(`${rule} ${detail}`, {
      rule,
      detail,
      operation: 'process',
      mutations: [],
      bytes: Buffer.alloc(0),
      answer: '',
    });
  }

  /** The first of its kind. */
  #keep(kind: string, found: Omit<Finding, 'seed' | 'round'>): void {
    if (this.#findings.has(kind)) return;
    this.#findings.set(kind, { seed: this.#seed, round: this.#round, ...found });
  }
}

function describeExchange({ answers, end, ms }: Exchange): string {
  const told = answers
    .slice(0, 3)
    .map(({ status, body }) => `${status} ${body.toString().slice(0, 600)}`);
  return [...told, `(${end} after ${ms.toFixed(0)} ms)`].join('\n');
}

async function atOnce<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}
