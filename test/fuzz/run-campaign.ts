import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createDice, type Dice } from '../simulation/dice.ts';
import type { Runtime } from '../support/runtime.ts';
import { expectStatus } from '../support/tenant.ts';
import { compareRefused, endSchedules, isRefusal } from './compare-refused.ts';
import { Ledger, type CampaignReport } from './ledger.ts';
import { readOperations, type FuzzOperation } from './operations.ts';
import { drawRawShape, HELD_OPEN } from './raw-shapes.ts';
import { drawRequest, type FuzzRequest } from './requests.ts';
import { runWorkflows } from './run-workflows.ts';
import { Sender, type Trap } from './sender.ts';
import { readUse, watchHealth } from './watch-process.ts';
import { fillWorld, type World } from './world.ts';

export interface Limits {
  readonly memoryGrowthMb: number;
  readonly cpuMs: number;
  readonly healthMs: number;
}

export interface CampaignParams {
  readonly runtime: Runtime;
  readonly databaseUrl: string;
  readonly seed: string;
  readonly trap: Trap;
  readonly limits: Limits;
  /** Whether unfinished requests stay open until the server ends them, which takes long. */
  readonly holdsOpen: boolean;
  readonly goesOn: (rounds: number) => boolean;
  readonly progress: (text: string) => void;
}

const ROUND_BATCHES = 16;
const BATCH_REQUESTS = 24;
const ROUND_SHAPES = 60;
const ROUND_WORKFLOWS = 24;
const STORM_REQUESTS = 200;
const STORM_AT_ONCE = 16;
const SHAPES_AT_ONCE = 8;

/**
 * Runs rounds of hostile input against one process, until `goesOn` returns false or there are
 * enough findings.
 */
export async function runCampaign(params: CampaignParams): Promise<CampaignReport> {
  const { runtime, seed, limits, progress } = params;
  const document = expectStatus(await runtime.request<JsonObject>({ path: '/openapi.json' }), 200);
  const operations = readOperations(document);
  const ledger = new Ledger({ seed, operations: operations.map(({ name }) => name) });
  const sender = new Sender({ url: runtime.url, ledger, trap: params.trap });
  const campaign: Campaign = { ...params, operations, ledger, sender };
  const held = params.holdsOpen ? HELD_OPEN.map((shape) => sender.sendShape(shape)) : [];
  let rounds = 0;
  while (params.goesOn(rounds) && !ledger.hasEnough()) {
    ledger.round = rounds;
    await runRound(campaign, rounds);
    rounds += 1;
    progress(`round ${rounds} of seed ${seed}: ${ledger.summary()}`);
  }
  await Promise.all(held);
  judgeProcess({ ledger, limits, errors: runtime.errors() });
  return ledger.report(rounds);
}

interface Campaign extends CampaignParams {
  readonly operations: readonly FuzzOperation[];
  readonly ledger: Ledger;
  readonly sender: Sender;
}

interface Round extends Campaign {
  readonly world: World;
  readonly draw: (given: {
    readonly dice: Dice;
    readonly operation: FuzzOperation;
    readonly isHostile: boolean;
  }) => FuzzRequest;
}

async function runRound(campaign: Campaign, number: number): Promise<void> {
  const { runtime, seed, trap, ledger, sender, operations } = campaign;
  const dice = createDice(`${seed}/${number}`);
  const world = await fillWorld(runtime, `${seed}-${number}`.toLowerCase());
  const { apiKey: token } = runtime;
  let n = number * 1_000_000;
  const draw: Round['draw'] = (given) =>
    drawRequest({ ...given, world, token, n: (n += 1), trapPort: trap.port });
  const round: Round = { ...campaign, world, draw };

  const valid = dice.fork('valid');
  for (const operation of operations) {
    await sender.send(
      draw({ dice: valid.fork(operation.name), operation, isHostile: false }),
      'valid',
    );
  }
  await lookAt(campaign);
  for (let batch = 0; batch < ROUND_BATCHES; batch += 1) {
    if (!campaign.goesOn(number) && batch >= BATCHES_MIN) break;
    await sendBatch(round, dice.fork(`batch ${batch}`), batch);
  }
  const health = watchHealth(runtime.url);
  await sendShapes(round, dice.fork('shapes'));
  await lookAt(campaign);
  await runWorkflows({ ...round, dice: dice.fork('workflows'), count: ROUND_WORKFLOWS });
  await lookAt(campaign);
  await storm(round, dice.fork('storm'));
  await health.stop();
  ledger.longestHealthMs = Math.max(ledger.longestHealthMs, health.longestMs());
  await lookAt(campaign);
  await retire(round);
}

/** This many batches reach every operation. */
const BATCHES_MIN = 4;

/** Sends requests one after another, and takes the operations in turn. */
async function sendBatch(round: Round, dice: Dice, batch: number): Promise<void> {
  const { operations, draw, sender, runtime, limits, ledger, world } = round;
  const requests = Array.from({ length: BATCH_REQUESTS }, (_, index) => {
    const at = (batch * BATCH_REQUESTS + index) % operations.length;
    const operation = operations[at] as FuzzOperation;
    return draw({ dice: dice.fork(String(index)), operation, isHostile: true });
  });
  const refused: FuzzRequest[] = [];
  for (const request of requests) {
    const before = await readUse(runtime.pid);
    if (isRefusal(await sender.send(request, 'mutated'))) refused.push(request);
    const after = await readUse(runtime.pid);
    const cpuMs = (after?.cpuMs ?? 0) - (before?.cpuMs ?? 0);
    ledger.longestCpuMs = Math.max(ledger.longestCpuMs, cpuMs);
    if (cpuMs <= limits.cpuMs) continue;
    const detail = `${cpuMs} ms of a processor`;
    sender.find({ rule: 'one request takes little time', detail }, request, null);
  }
  await endSchedules(runtime, world.tenantId);
  await compareRefused({ ...round, refused });
}

async function sendShapes({ runtime, sender }: Round, dice: Dice): Promise<void> {
  const shapes = Array.from({ length: ROUND_SHAPES }, (_, index) =>
    drawRawShape(dice.fork(String(index)), { token: runtime.apiKey }),
  );
  await atOnce(shapes, SHAPES_AT_ONCE, (shape) => sender.sendShape(shape));
}

async function storm({ operations, draw, sender }: Round, dice: Dice): Promise<void> {
  const requests = Array.from({ length: STORM_REQUESTS }, (_, index) => {
    const own = dice.fork(String(index));
    return draw({ dice: own, operation: own.pick(operations), isHostile: own.chance(0.9) });
  });
  await atOnce(requests, STORM_AT_ONCE, async (request) => {
    // The object of a valid request may have ended meanwhile, so no request counts as valid.
    await sender.send(request, 'mutated');
  });
}

/** Stops everything in the old world, so that it has no background work. */
async function retire({ runtime, world }: Round): Promise<void> {
  await endSchedules(runtime, world.tenantId);
  for (const id of [world.tenantId, world.spareTenantId]) {
    const body = { status: 'archived' };
    await runtime.request({ method: 'PUT', path: `/tenants/${id}`, body });
  }
}

async function lookAt({ runtime, ledger }: Campaign): Promise<void> {
  const use = await readUse(runtime.pid);
  if (use === null) ledger.findInProcess('the process lives on', runtime.stderr().slice(-2_000));
  else ledger.noteMemory(use.memoryBytes / 1024 / 1024);
}

function judgeProcess(given: {
  readonly ledger: Ledger;
  readonly limits: Limits;
  readonly errors: readonly string[];
}): void {
  const { ledger, limits, errors } = given;
  const grown = ledger.memoryMb.last - ledger.memoryMb.first;
  if (grown > limits.memoryGrowthMb) {
    ledger.findInProcess('memory stays bounded', `it grew by ${grown.toFixed(0)} MB`);
  }
  if (ledger.longestHealthMs > limits.healthMs) {
    const detail = `/health took ${ledger.longestHealthMs.toFixed(0)} ms`;
    ledger.findInProcess('others are answered meanwhile', detail);
  }
  for (const line of errors.slice(0, 1)) ledger.findInProcess('no error is logged', line);
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
