import { z } from 'zod';

import {
  RECORD_STAGES,
  verifyAuditPart,
  type VerifyPosition,
} from '../../../shared/engine/audit/verify-part.ts';
import { parseExecutionId } from '../../../shared/domain/ids.ts';
import type { WindowHead } from '../../../shared/domain/audit/seal.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { columnsText, encodePosition, isTimestamp } from '../../schemas/position.ts';
import { nextCursor, optionalQuery } from '../../schemas/query.ts';
import { timestamp } from '../../schemas/text.ts';
import { problemShape, shapeProblem } from './problem-shape.ts';

const PROBLEMS_MAX = 20;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.string().refine(isTimestamp);
const count = z.int().min(0);
const windowNumber = count.max(2 ** 31 - 1);
const inChain = z.tuple([z.literal('windows'), windowNumber, instant, hash, count, instant, hash]);
/** The id of an execution behind executions, otherwise a UUID; empty at the beginning of a stage. */
const behindChain = z.tuple([z.enum(RECORD_STAGES), z.string()]).refine(([stage, after]) => {
  if (after === '') return true;
  return stage === 'executions' ? parseExecutionId(after) !== null : UUID.safeParse(after).success;
});
const UUID = z.uuid();

const position = columnsText((columns): VerifyPosition | null => {
  const chain = inChain.safeParse(columns);
  if (chain.success) {
    const [stage, number, coversTo, windowHash, sealNumber, sealedTo, sealHash] = chain.data;
    return {
      stage,
      window: { windowNumber: number, coversTo, hash: windowHash },
      seal: { sealNumber, coversTo: sealedTo, hash: sealHash },
    };
  }
  const behind = behindChain.safeParse(columns);
  return behind.success ? { stage: behind.data[0], after: behind.data[1] || null } : null;
});

function cursorOf(next: VerifyPosition | null): string | null {
  if (next === null) return null;
  if (next.stage !== 'windows') return encodePosition([next.stage, next.after ?? '']);
  const { stage, window, seal } = next;
  return encodePosition([
    stage,
    window.windowNumber,
    window.coversTo,
    window.hash,
    seal.sealNumber,
    seal.coversTo,
    seal.hash,
  ]);
}

const head = z
  .string()
  .regex(/^\d{1,9}:[0-9a-f]{64}$/, 'must be a head that an earlier verification answered')
  .transform((text) => {
    const [number = '', hashOf = ''] = text.split(':');
    return { windowNumber: Number(number), hash: hashOf };
  })
  .meta({
    pattern: '^[0-9]{1,9}:[0-9a-f]{64}$',
    description: 'A head that was kept elsewhere: the chain must contain it.',
  });

export const verifyAudit = defineEndpoint({
  name: 'verify-audit',
  method: 'GET',
  path: '/audit/verify',
  access: 'operate',
  summary: 'Verifies the audit log of the tenant, part by part',
  note:
    'Compares the chains of seals with what the tables hold, as `svc audit verify --tenant` does. ' +
    'Each answer tells what its part has compared; follow `next_cursor` to the end. A problem ends ' +
    'the verification. Keep `head` elsewhere: it proves the log up to there.',
  query: z.object({ head: optionalQuery(head), cursor: optionalQuery(position) }),
  replies: {
    200: z.object({
      ok: z.boolean().meta({ description: 'Whether this part matches its seals.' }),
      windows: count,
      items: count,
      retired_items: count,
      retired_executions: count,
      imported_events: count,
      imported_executions: count,
      definitions: count,
      executions: count,
      head: z.string().nullable().meta({
        description: 'The last good window and its hash; null: this part began behind the chain.',
      }),
      sealed_until: timestamp.nullable(),
      problems: z.array(problemShape).meta({
        description: `The findings of the first window or page with any, at most ${PROBLEMS_MAX}.`,
      }),
      next_cursor: nextCursor,
    }),
  },
  async handle({ query, caller }, { engine }) {
    const part = await verifyAuditPart(engine, caller, {
      from: query.cursor,
      expected: query.head,
    });
    return {
      status: 200,
      body: {
        ok: part.problems.length === 0,
        windows: part.windows,
        items: part.items,
        retired_items: part.retiredItems,
        retired_executions: part.retiredExecutions,
        imported_events: part.importedEvents,
        imported_executions: part.importedExecutions,
        definitions: part.definitions,
        executions: part.executions,
        ...shapeHead(part.head),
        problems: part.problems.slice(0, PROBLEMS_MAX).map(shapeProblem),
        next_cursor: cursorOf(part.next),
      },
    };
  },
});

function shapeHead(end: WindowHead | null) {
  if (end === null || end.windowNumber === 0) return { head: null, sealed_until: null };
  return { head: `${end.windowNumber}:${end.hash}`, sealed_until: end.coversTo };
}
