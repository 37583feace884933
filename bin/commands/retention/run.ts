import { setTimeout as delay } from 'node:timers/promises';

import {
  collectArtifacts,
  type RemovedArtifacts,
} from '../../../src/shared/engine/retention/collect-artifacts.ts';
import { tendPartitions } from '../../../src/shared/engine/retention/partitions.ts';
import {
  runRetention,
  type RetentionResult,
} from '../../../src/shared/engine/retention/run-retention.ts';
import type { RetentionRequest } from '../../../src/shared/engine/retention/scan-due.ts';
import type { Store } from '../../../src/shared/store/store.ts';
import { archiveTo } from '../../../src/runtime/archive-to.ts';
import { CliError } from '../../cli/exit-code.ts';
import { ids } from '../../../src/runtime/ids.ts';
import { onInterrupt } from '../../cli/on-interrupt.ts';
import { printJson, printLine, printNote } from '../../cli/output.ts';
import { readConfig } from '../../boot/read-config.ts';
import {
  CLI_ACTOR,
  readRequest,
  withRetention,
  type SelectOptions,
} from '../../cli/retention-request.ts';
import { retentionTimes } from '../../../src/runtime/retention-times.ts';
import { tellBytes } from '../../cli/tell-bytes.ts';
import { preview } from './preview.ts';

const PROGRESS_MS = 1_000;

/** Broken off by a signal, it ends after the batch under way; what is gone is gone. */
export async function run(
  options: SelectOptions & {
    readonly dryRun?: boolean;
    readonly archive?: string;
    readonly batch: number;
  },
): Promise<void> {
  if (options.dryRun === true) return preview(options);
  const interrupt = onInterrupt('stopping after the current batch');
  const isOver = (): boolean => interrupt.signal.aborted;
  const { result, removed } = await withRetention(options, (store) =>
    removeAll(store, options, isOver),
  );
  interrupt.release();
  if (options.output === 'json') {
    printJson({
      ...shapeResult(result),
      artifacts: removed.artifacts,
      artifact_bytes: removed.bytes,
      ended: !isOver(),
    });
  } else printLine([describe(result), ...describeArtifacts(removed)].join(', '));
  if (isOver()) throw new CliError('interrupted: run it again to remove the rest');
}

async function removeAll(
  store: Store,
  options: SelectOptions & { readonly archive?: string; readonly batch: number },
  isOver: () => boolean,
): Promise<{ readonly result: RetentionResult; readonly removed: RemovedArtifacts }> {
  const request = readRequest(options);
  const { config } = readConfig(options, 'serve');
  const { replayMs, unusedArtifactMs: unusedMs } = retentionTimes(config);
  const folder = options.archive ?? config.retention.archiveDir;
  const resting = {
    now: () => performance.now(),
    rest: (milliseconds: number) => delay(milliseconds),
  };
  const asked = { ...request, actorId: CLI_ACTOR, isOver };
  let shownAt = performance.now();
  const result = await runRetention(
    { ...resting, store: store.retention, ids },
    {
      ...asked,
      batchMax: options.batch,
      ...(folder !== null && { archive: archiveTo(folder, store) }),
      replayMs,
      onProgress(progress) {
        if (performance.now() - shownAt < PROGRESS_MS) return;
        shownAt = performance.now();
        printNote(`${describe(progress)} so far`);
      },
    },
  );
  const removed = await collectArtifacts({ ...resting, stores: store }, { ...asked, unusedMs });
  if (!isOver()) await tend(store, request);
  return { result, removed };
}

async function tend(store: Store, request: RetentionRequest): Promise<void> {
  const { dropped, shrunk, sweptEvents, postponed } = await tendPartitions({ store }, request);
  if (dropped > 0) printNote(`${dropped} partitions dropped`);
  if (shrunk > 0) printNote(`${shrunk} partitions rewritten without the removed events`);
  if (sweptEvents > 0) printNote(`${sweptEvents} events deleted from the remaining partitions`);
  if (postponed > 0) printNote(`${postponed} partitions were in use: the next run tries again`);
}

function shapeResult(result: RetentionResult): object {
  return {
    executions: result.executions,
    events: result.events,
    batches: result.batches,
    passed_over: result.passedOver,
    replay_records: result.replayRecords,
  };
}

function describe(result: RetentionResult): string {
  const { executions, events, replayRecords, passedOver } = result;
  const parts = [`${executions} executions with ${events} events removed`];
  if (replayRecords > 0) parts.push(`${replayRecords} replay records deleted`);
  if (passedOver > 0) parts.push(`${passedOver} changed meanwhile and were kept`);
  return parts.join(', ');
}

function describeArtifacts({ artifacts, bytes }: RemovedArtifacts): readonly string[] {
  return artifacts === 0 ? [] : [`${artifacts} artifacts with ${tellBytes(bytes)} removed`];
}
