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
import { askToExport, askToImport } from './requests-of-imports.ts';

/**
 * Exports an execution now and then, and imports it: as it is, as a copy from elsewhere, changed, or
 * while it still runs; and when retention has removed it, what was last exported. `onBack` is called
 * when an import has brought the execution back. Resolves after the last deed for it.
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
    if (kept === null || (!hasEnded(kept) && dice.chance(0.8))) continue;
    const plan = drawPlan(kept, { name: client, isGone: exported?.status === 404 }, dice);
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
