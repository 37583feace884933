import { useId } from 'react';

import { SelectField, TextField } from '../../ui/controls/field.tsx';
import { AbsoluteTime, Time } from '../../ui/data/time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import type { ScheduleForm } from './schedule-form.ts';
import type { Preview } from './use-preview.ts';

const KINDS = [
  { value: 'cron', label: 'By a cron expression' },
  { value: 'every', label: 'At an interval' },
];

/** When the schedule fires, with its next fires as the service works them out. */
export function TimingFields({
  form,
  onChange,
  preview,
}: {
  readonly form: ScheduleForm;
  readonly onChange: (change: Partial<ScheduleForm>) => void;
  readonly preview: Preview;
}) {
  const zones = useId();
  const { problem, fires } = preview;
  const problemAt = (at: 'timing' | 'timezone') => (problem?.at === at ? problem.text : null);
  return (
    <>
      <SelectField
        label="Fires"
        value={form.kind}
        options={KINDS}
        onChange={(event) => onChange({ kind: event.target.value === 'every' ? 'every' : 'cron' })}
      />
      {form.kind === 'cron' ? (
        <>
          <TextField
            label="Cron expression"
            hint="Minute, hour, day of month, month, day of week; seconds may come first."
            problem={problemAt('timing')}
            value={form.cron}
            required
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ cron: event.target.value })}
          />
          <TextField
            label="Time zone"
            problem={problemAt('timezone')}
            value={form.timezone}
            list={zones}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ timezone: event.target.value })}
          />
          <datalist id={zones}>
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </datalist>
        </>
      ) : (
        <TextField
          label="Interval"
          hint="Such as 30s, 15m or 12h, counted from 1970-01-01 in UTC."
          problem={problemAt('timing')}
          value={form.every}
          required
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange({ every: event.target.value })}
        />
      )}
      <Panel title="Next fires">
        {fires.length === 0 ? (
          <p>{problem === null ? 'Reading…' : 'None, until the timing is right.'}</p>
        ) : (
          <FireList fires={fires} label="Next fires" />
        )}
      </Panel>
    </>
  );
}

/** Instants in the chosen time zone, each with its distance from now. */
export function FireList({
  fires,
  label,
}: {
  readonly fires: readonly string[];
  readonly label: string;
}) {
  return (
    <ol aria-label={label}>
      {fires.map((fire) => (
        <li key={fire}>
          <AbsoluteTime at={fire} /> (<Time at={fire} />)
        </li>
      ))}
    </ol>
  );
}
