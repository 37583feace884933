import test from 'ava';

import {
  diffHistory,
  digestImported,
  isImportProved,
  type RecordedImport,
} from '../../../../src/shared/domain/audit/imported-executions.ts';
import { hashHistory } from '../../../../src/shared/domain/audit/retired-executions.ts';
import type { SealableItem } from '../../../../src/shared/domain/audit/seal.ts';

const eventAt = (sequence: number, changes: Partial<SealableItem> = {}): SealableItem => ({
  tenantId: 'acme',
  key: 'exec_1',
  sequence,
  executionId: 'exec_1',
  eventType: 'NodeScheduled',
  nodeId: 'a',
  actorId: 'token:there',
  payloadHash: 'p',
  createdMicros: 1_000 + sequence,
  ...changes,
});
const EVENTS = [eventAt(1), eventAt(2), eventAt(3)];
const HASHES = hashHistory(EVENTS);

test('a history equal to its import differs in nothing, in any order of reading', (t) => {
  t.deepEqual(diffHistory(HASHES, EVENTS.toReversed()), []);
});

test('changed, removed and added events are named', (t) => {
  const changed = eventAt(1, { actorId: 'token:x' });
  const added = eventAt(4);
  t.deepEqual(diffHistory(HASHES, [changed, eventAt(3), added]), [
    { what: 'row_changed', sequence: 1, item: changed },
    { what: 'row_removed', sequence: 2, item: null },
    { what: 'row_added', sequence: 4, item: added },
  ]);
  for (const change of [
    { tenantId: 'other' },
    { eventType: 'NodeStarted' },
    { nodeId: null },
    { payloadHash: 'q' },
    { createdMicros: 5 },
  ]) {
    t.is(diffHistory(HASHES, [eventAt(1, change), eventAt(2), eventAt(3)]).length, 1);
  }
});

test('an import is proved by an entry of its tenant that names exactly it', (t) => {
  const known = {
    importId: 'i',
    executionId: 'exec_1',
    tenantId: 'acme',
    documentSha256: 'd',
    retirementId: null,
    eventHashes: HASHES,
    isThere: true,
  };
  const told = { tenantId: 'acme', digest: digestImported(known) };
  const recorded: RecordedImport = { ...known, told };
  t.true(isImportProved(recorded));
  for (const change of [
    { told: null },
    { told: { ...told, tenantId: 'other' } },
    { executionId: 'exec_2' },
    { documentSha256: 'e' },
    { retirementId: 'r' },
    { eventHashes: HASHES.slice(64) },
  ]) {
    t.false(isImportProved({ ...recorded, ...change }));
  }
});
