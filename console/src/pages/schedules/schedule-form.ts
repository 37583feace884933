import type { Schedule } from './read-schedules.ts';

/** The fields of the dialog as they are typed. */
export interface ScheduleForm {
  readonly name: string;
  readonly workflowId: string;
  /** Empty: the latest. */
  readonly workflowVersion: string;
  readonly kind: 'cron' | 'every';
  readonly cron: string;
  readonly every: string;
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly catchup: string;
  readonly input: string;
}

export const OVERLAPS = [
  { value: 'skip', label: 'Skip the fire' },
  { value: 'queue', label: 'Let one fire wait' },
  { value: 'allow', label: 'Start it beside' },
  { value: 'cancel_previous', label: 'Cancel the live execution' },
] as const;

type Overlap = (typeof OVERLAPS)[number]['value'];

/** The dialog's fields for a schedule; null: for a new one. */
export function fillForm(schedule: Schedule | null): ScheduleForm {
  return {
    name: schedule?.name ?? '',
    workflowId: schedule?.workflow_id ?? '',
    workflowVersion: schedule?.workflow_version ?? '',
    kind: schedule !== null && schedule.every !== null ? 'every' : 'cron',
    cron: schedule?.cron_expression ?? '0 9 * * mon-fri',
    every: schedule?.every ?? '15m',
    timezone: schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    overlap: schedule?.overlap_policy ?? 'skip',
    catchup: String(schedule?.catchup_window_secs ?? 60),
    input: JSON.stringify(schedule?.input ?? {}, null, 2),
  };
}

type Timing =
  { readonly cron_expression: string; readonly timezone: string } | { readonly every: string };

/** The part of a request that says when; the other kind of timing is absent. */
export function timingOf(form: ScheduleForm): Timing {
  return form.kind === 'cron'
    ? { cron_expression: form.cron.trim(), timezone: form.timezone.trim() || 'UTC' }
    : { every: form.every.trim() };
}

/** The request that saves the form with its input, which has been read as JSON. */
export function bodyOf(form: ScheduleForm, input: Record<string, unknown>) {
  const version = form.workflowVersion.trim();
  return {
    name: form.name.trim(),
    workflow_id: form.workflowId.trim(),
    workflow_version: version === '' ? null : version,
    ...timingOf(form),
    overlap_policy: form.overlap,
    catchup_window_secs: Number(form.catchup),
    input,
  };
}

/** The object that a text is as JSON; null: it is none. */
export function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
