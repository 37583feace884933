import type { ImportDocument } from '../../../src/shared/engine/executions/import/import-document.ts';
import type { Dice } from '../../simulation/dice.ts';
import {
  asItIs,
  copyOf,
  documentFrom,
  forged,
  hasEnded,
  misstated,
  type ImportPlan,
} from '../../support/import-variants.ts';
import { askForEvents, askToExport, askToImport, askToRead } from './requests.ts';
import { clientOf, type Stage, type TenantOf } from './stage.ts';

const REST_MS = [200, 1_200] as const;
const KEPT_MAX = 200;

/** Several, because one alone spends most of a run on requests that get no answer. */
const IMPORTERS = 3;

/**
 * They keep exports of executions, and import them: as they are, as copies from elsewhere, and
 * changed. They bring back executions that retention has removed.
 */
export async function runImporters(stage: Stage, operator: TenantOf): Promise<void> {
  const kept: ImportDocument[] = [];
  await Promise.all(
    Array.from({ length: IMPORTERS }, (_, index) =>
      runImporter(stage, operator, { name: `importer${index}`, kept }),
    ),
  );
}

async function runImporter(
  stage: Stage,
  operator: TenantOf,
  { name, kept }: { readonly name: string; readonly kept: ImportDocument[] },
): Promise<void> {
  const { service, known, pause, isOver } = stage;
  const dice = stage.dice.fork(name);
  for (let round = 0; !isOver(); round += 1) {
    await pause(dice.between(...REST_MS));
    const by = clientOf(operator, `${name}-${round}`);
    const own = known.executions.filter(({ tenantId }) => tenantId === operator.tenantId);
    const isNew = kept.length === 0 || dice.chance(0.4);
    if (isNew && own.length === 0) continue;
    const id = isNew ? dice.pick(own).executionId : dice.pick(kept).execution.execution_id;
    const exported = await service.ask(by, askToExport(id));
    const earlier = kept.find(({ execution }) => execution.execution_id === id);
    const document = exported?.status === 200 ? documentFrom(exported.body) : earlier;
    if (document === undefined) continue;
    if (earlier === undefined && hasEnded(document)) kept.push(document);
    if (kept.length > KEPT_MAX) kept.shift();
    const isGone = exported?.status === 404;
    const plan = isGone ? asItIs(document) : drawPlan(document, by.client, dice);
    const request = askToImport(plan);
    // Twice at the same time, or once.
    await Promise.all(
      Array.from({ length: dice.between(1, 2) }, () => service.insist(by, request)),
    );
    if (!plan.asks.isCopy || !plan.asks.isSound) continue;
    await service.ask(by, askToRead(plan.asks.of));
    await service.ask(by, askForEvents(plan.asks.of));
  }
}

function drawPlan(document: ImportDocument, name: string, dice: Dice): ImportPlan {
  if (!hasEnded(document)) return dice.pick([asItIs, copyOf])(document, name);
  return dice.pick([copyOf, copyOf, asItIs, forged, misstated])(document, name);
}
