import { createDice } from '../../simulation/dice.ts';
import type { Clients, ClientsParams } from '../types.ts';
import { openBook } from './book.ts';
import { runCaller } from './callers.ts';
import { runImporters } from './importer.ts';
import { runFollower, runLimitRacers, runOperator, runReader, runStranger } from './onlookers.ts';
import { startOutside } from './outside.ts';
import { RUNTIME_SETTINGS } from './runtime-settings.ts';
import { connectTo } from './ask-service.ts';
import { createStage, type Stage } from './stage.ts';
import { runSwitch } from './switches.ts';
import { provideTenants, provideWebhooks, registerWorkflows } from './tenants.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';
import { runWorker } from './workers.ts';

/** Clients that run until the run stops them, and the data that they leave behind. */
export interface ChaosClients extends Clients {
  /** Tokens in clear text, which nobody else may ever see. */
  secrets(): readonly string[];
  readonly receiver: WebhookReceiver;
  /** Also closes the outside system and the receiver of webhooks, which nobody may call any more. */
  close(): Promise<void>;
}

/** Resolves when all clients run; tenants and workflows exist by then. */
export async function startClients(params: ClientsParams): Promise<ChaosClients> {
  const { urls, apiKey, seed } = params;
  const dice = createDice(seed).fork('clients');
  const book = openBook(params);
  const outside = await startOutside(book);
  const at = { urls, apiKey, dice: dice.fork('tenants') };
  const tenants = await provideTenants(at);
  await registerWorkflows({ ...at, tenants, outsideUrl: outside.url });
  const receiver = await startWebhookReceiver(dice.fork('receiver'));
  await provideWebhooks({ ...at, tenants, receiver });
  const over = new AbortController();
  const service = connectTo({ urls, book, dice: dice.fork('urls') });
  const stage = createStage({
    service,
    dice,
    tenants,
    outsideUrl: outside.url,
    rests: params.rests,
    over: over.signal,
  });
  const secrets = [
    apiKey,
    RUNTIME_SETTINGS.SVC_SECRET_OUTSIDE,
    ...tenants.map(({ token }) => token),
  ];
  const running = runAll(stage, { apiKey, onMinted: (token) => secrets.push(token) });
  return {
    secrets: () => secrets,
    receiver,
    close: async () => {
      await outside.close();
      await receiver.close();
    },
    stop: async () => {
      over.abort();
      service.giveUp();
      await running;
    },
  };
}

async function runAll(
  stage: Stage,
  of: { readonly apiKey: string; readonly onMinted: (token: string) => void },
): Promise<void> {
  const deeds = stage.tenants.flatMap((tenant) => {
    const isMain = tenant.tenantId === 'default';
    return [
      ...(isMain ? ['caller0', 'caller1', 'caller2', 'caller3'] : ['caller0']).map((name) =>
        runCaller(stage, tenant, name),
      ),
      runWorker(stage, tenant, { name: 'careful', queues: BOTH, mischief: 0.1 }),
      runWorker(stage, tenant, { name: 'careless', queues: BOTH, mischief: isMain ? 0.6 : 0.4 }),
      runSwitch(stage, tenant),
      ...(tenant.executionsMax === null ? [] : [runLimitRacers(stage, tenant)]),
    ];
  });
  const operator = { tenantId: 'default', token: of.apiKey, executionsMax: null };
  await Promise.all([
    ...deeds,
    ...['reader0', 'reader1'].map((name) => runReader(stage, name)),
    ...['follower0', 'follower1', 'follower2'].map((name) => runFollower(stage, name)),
    runStranger(stage, 'stranger'),
    runOperator(stage, operator, of.onMinted),
    runImporters(stage, operator),
  ]);
}

const BOTH = ['python_tool', 'java_tool'] as const;
