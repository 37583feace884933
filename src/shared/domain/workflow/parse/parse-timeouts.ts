import type { JsonObject } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import { DURATION_FORMS, parseDuration } from './parse-duration.ts';
import type { Findings } from '../problem.ts';

/** The workflow's `timeouts`, in milliseconds; null: no bound. */
export interface Timeouts {
  readonly nodeTimeoutMs: number;
  readonly workflowTimeoutMs: number | null;
  readonly heartbeatIntervalMs: number;
  readonly approvalTimeoutMs: number | null;
  readonly scheduleToStartMs: number | null;
}

const NODE_TIMEOUT_MS = 300_000;

/**
 * A third of the default lease of 30 s, so that a worker can miss two heartbeats and keep its item.
 * Longer intervals in a definition are cut to this: with 30 s, every lease would lapse just when
 * its first heartbeat is due.
 */
const HEARTBEAT_INTERVAL_MS = 10_000;

/** Reads `timeouts`: `{node_timeout, workflow_timeout, heartbeat_interval, approval_timeout, schedule_to_start}`. */
export function parseTimeouts(ir: JsonObject, findings: Findings): Timeouts {
  const raw = ir['timeouts'] ?? {};
  // Anything but an object has been reported with the other keys of the definition.
  const read = (name: string) => readTimeout(isJsonObject(raw) ? raw : {}, name, findings);
  const heartbeatMs = read('heartbeat_interval') ?? HEARTBEAT_INTERVAL_MS;
  if (heartbeatMs > HEARTBEAT_INTERVAL_MS) {
    findings.warnings.add(
      'without_effect',
      '/timeouts/heartbeat_interval',
      `heartbeats are asked for every ${HEARTBEAT_INTERVAL_MS / 1_000} s, well within the lease`,
    );
  }
  return {
    nodeTimeoutMs: read('node_timeout') ?? NODE_TIMEOUT_MS,
    workflowTimeoutMs: read('workflow_timeout'),
    heartbeatIntervalMs: Math.min(heartbeatMs, HEARTBEAT_INTERVAL_MS),
    approvalTimeoutMs: read('approval_timeout'),
    scheduleToStartMs: read('schedule_to_start'),
  };
}

/** A timeout is more than nothing: one of 0 would end all work before it starts. */
export function parseTimeout(value: JsonObject[string]): number | null {
  const ms = parseDuration(value);
  return ms === 0 ? null : ms;
}

export const TIMEOUT_FORMS = `more than 0 and at most 10 years: ${DURATION_FORMS}`;

function readTimeout(raw: JsonObject, name: string, { problems }: Findings): number | null {
  const used = (raw[name] ?? null) === null ? `${name}_secs` : name;
  const value = raw[used] ?? null;
  if (value === null) return null;
  const ms = parseTimeout(value);
  if (ms === null) problems.add(`/timeouts/${used}`, `must be ${TIMEOUT_FORMS}`);
  return ms;
}
