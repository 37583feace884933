import type { ImportDocument } from '../../src/shared/engine/executions/import/import-document.ts';
import {
  asItIs,
  copyOf,
  documentFrom,
  forged,
  hasEnded,
  misstated,
  type ImportPlan,
} from '../support/import-variants.ts';
import { insist, LAST_ARRIVAL_MS, readAll, type Outside } from './clients.ts';
import type { Dice } from './dice.ts';
import { askToRead } from './requests.ts';
import { askToExport, askToImport } from './requests-of-imports.ts';

/**
 * Exports an execution now and then, and imports it: as it is, as a copy from elsewhere, changed, or
 * while it still runs; and when retention has removed it, what was archived or last exported. `onBack` is
 * called when an import has brought the execution back. Resolves after the last deed for it.
 */
export async function runImporter(
  outside: Outside,
  of: {
    readonly name: string;
    readonly tenantId: string;
    readonly executionId: string;
    readonly imports: number;
  },
  dice: Dice,
  onBack: () => Promise<void>,
): Promise<void> {
  const { name, tenantId, executionId, imports } = of;
  const back: Promise<void>[] = [];
  let kept: ImportDocument | null = null;
  let sent = 0;
  for (let round = 0; sent < imports && !outside.isCalm(); round += 1) {
    await outside.world.pause(dice.between(0, 300));
    // The actor of a request names it.
    const client = `${name}-importer${round}`;
    const by = { client, tenantId };
    const exported = await insist(outside, dice, askToExport(by, { executionId }));
    if (exported?.status === 200) kept = documentFrom(exported.body);
    const isGone = exported?.status === 404;
    const archived = isGone ? outside.archived({ tenantId, executionId }) : null;
    if (archived !== null) kept = documentFrom(archived);
    if (kept === null || (!hasEnded(kept) && dice.chance(0.8))) continue;
    const drawn = drawPlan(kept, { name: client, isGone }, dice);
    const plan = archived === null ? drawn : fromArchive(drawn);
    sent += 1;
    const answers = await Promise.all(
      ['a', 'b'].slice(0, dice.between(1, 2)).map((one) => {
        const request = askToImport({ client: `${client}${one}`, tenantId }, plan);
        return insist(outside, dice.fork(`${client}${one}`), request);
      }),
    );
    if (plan.asks.isCopy && plan.asks.isSound) {
      await readAll(outside, { ...by, executionId: plan.asks.of });
    }
    if (answers.some((answer) => answer?.body['restored'] === true)) back.push(onBack());
  }
  if (sent > 0) {
    // A duplicate of a request may arrive later, when a frozen process thaws.
    while (!outside.isCalm()) await outside.world.pause(100);
    await outside.world.pause(LAST_ARRIVAL_MS);
  }
  await Promise.all(back);
}

/** Imports executions that retention has removed from their archives. */
export async function restoreArchived(
  outside: Outside,
  executions: readonly { readonly tenantId: string; readonly executionId: string }[],
  dice: Dice,
): Promise<void> {
  for (const { tenantId, executionId } of executions.filter(() => dice.chance(RESTORED))) {
    const by = { client: `restorer of ${executionId}`, tenantId };
    const read = await insist(outside, dice, askToRead(by, { executionId }));
    const archived = outside.archived({ tenantId, executionId });
    if (read?.status !== 404 || archived === null) continue;
    const plan = fromArchive(asItIs(documentFrom(archived)));
    await insist(outside, dice, askToImport(by, plan));
    await readAll(outside, { ...by, executionId });
  }
}

const RESTORED = 0.5;

/** Whether it must be accepted depends on nothing but its archive. */
function fromArchive(plan: ImportPlan): ImportPlan {
  const { isCopy, isSound } = plan.asks;
  return isSound && !isCopy ? { ...plan, asks: { ...plan.asks, isArchived: true } } : plan;
}

function drawPlan(
  document: ImportDocument,
  of: { readonly name: string; readonly isGone: boolean },
  dice: Dice,
): ImportPlan {
  if (!hasEnded(document)) return dice.chance(0.5) ? asItIs(document) : copyOf(document, of.name);
  if (of.isGone && dice.chance(0.7)) return asItIs(document);
  const plans = [
    () => copyOf(document, of.name),
    () => copyOf(document, of.name),
    () => asItIs(document),
    () => forged(document),
    () => misstated(document, of.name),
  ];
  return dice.pick(plans)();
}
