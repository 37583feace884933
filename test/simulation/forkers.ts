import { isJsonObject, type JsonObject } from '../../src/shared/domain/json.ts';
import type { ForkedAt } from '../invariants/history.ts';
import { insist, LAST_ARRIVAL_MS, type Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import { askForEvents, askForForks, askToFork } from './requests.ts';

type OnForked = (executionId: string, name: string) => Promise<void>;

/**
 * Forks an execution, or a child of it, at points of its history, and looks for the forks whose answers
 * were lost. Resolves after the last deed for a fork.
 */
export async function runForker(
  outside: Outside,
  of: {
    readonly name: string;
    readonly tenantId: string;
    readonly executionId: string;
    readonly forks: number;
  },
  dice: Dice,
  onForked: OnForked,
): Promise<void> {
  const { name, tenantId, forks } = of;
  const forked = new Map<string, Promise<void>>();
  const originals = new Set<string>();
  const learn = (id: unknown): void => {
    if (typeof id !== 'string' || forked.has(id)) return;
    forked.set(id, onForked(id, `${name}f${forked.size}`));
  };
  const by = { client: `${name}-forker`, tenantId };
  const look = async (executionId: string): Promise<void> => {
    const answer = await insist(outside, dice, askForForks(by, { executionId }));
    for (const fork of objectsIn(answer?.body['forks'])) learn(fork['execution_id']);
  };
  for (let fork = 0; fork < forks && !outside.isCalm(); fork += 1) {
    await outside.world.pause(dice.between(0, 600));
    const story = await readStory(outside, dice, { ...by, executionId: of.executionId });
    const child = story.map(childIn).find((id) => id !== null);
    const executionId = child && dice.chance(0.4) ? child : of.executionId;
    const points =
      executionId === of.executionId
        ? story
        : await readStory(outside, dice, { ...by, executionId });
    if (points.length === 0) continue;
    // The actor of a request names it.
    const client = `${name}-forker${fork}`;
    const asked = {
      executionId,
      at: drawPoint(points, dice),
      statePatch: dice.chance(0.3) ? { forked: client } : null,
      key: dice.chance(0.6) ? client : null,
    };
    originals.add(executionId);
    const request = askToFork({ client, tenantId }, asked);
    for (let isKnown = false; !isKnown && !outside.isOver();) {
      const answer = await outside.network.send(request);
      if (answer?.status === 201) learn(answer.body['execution_id']);
      isKnown = answer !== null && answer.status !== 503 && answer.status !== 429;
      // A fork whose answer was lost may have the last place of its tenant, and waits for its client.
      await look(executionId);
      if (!isKnown) await outside.world.pause(dice.between(5, 100));
    }
  }
  if (originals.size > 0) {
    // A duplicate of a request may arrive later, when a frozen process thaws.
    while (!outside.isCalm()) await outside.world.pause(100);
    await outside.world.pause(LAST_ARRIVAL_MS);
    for (const executionId of originals) await look(executionId);
  }
  await Promise.all(forked.values());
}

async function readStory(
  outside: Outside,
  dice: Dice,
  of: { readonly client: string; readonly tenantId: string; readonly executionId: string },
): Promise<readonly JsonObject[]> {
  const { executionId, ...by } = of;
  const answer = await insist(outside, dice, askForEvents(by, { executionId }));
  return objectsIn(answer?.body['events']);
}

/** An event, or a node that has begun; sometimes the failed items of a map. */
function drawPoint(story: readonly JsonObject[], dice: Dice): ForkedAt {
  const begun = story.filter(({ kind }) => kind === 'NodeScheduled');
  if (begun.length === 0 || dice.chance(0.5)) return { sequence: dice.between(1, story.length) };
  const { node_id: node, payload } = dice.pick(begun);
  const isMap = isJsonObject(payload) && payload['phase'] === 'map';
  const visit = isJsonObject(payload) && dice.chance(0.5) ? Number(payload['visit']) : null;
  const items = isMap && dice.chance(0.7) ? 'failed' : 'all';
  return { nodeId: typeof node === 'string' ? node : '', visit, items };
}

function childIn({ kind, payload }: JsonObject): string | null {
  const id = kind === 'ChildWorkflowStarted' && isJsonObject(payload) ? payload : {};
  const { child_execution_id: child } = id as { readonly child_execution_id?: unknown };
  return typeof child === 'string' ? child : null;
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
