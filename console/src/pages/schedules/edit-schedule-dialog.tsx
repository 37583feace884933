import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { call } from '../../api/client.ts';
import { SelectField, TextArea, TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import type { Schedule } from './read-schedules.ts';
import { bodyOf, fillForm, OVERLAPS, readObject, type ScheduleForm } from './schedule-form.ts';
import { TimingFields } from './timing-fields.tsx';
import { usePreview } from './use-preview.ts';

const WORKFLOWS_SUGGESTED = 200;
const NO_OBJECT = 'The input must be a JSON object.';

/** Creates a schedule, or changes one; somebody else's change in between is refused. */
export function EditScheduleDialog({
  schedule,
  onClose,
}: {
  /** Null: a new one. */
  readonly schedule: Schedule | null;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [form, setForm] = useState(() => fillForm(schedule));
  const change = (part: Partial<ScheduleForm>) => setForm((before) => ({ ...before, ...part }));
  const preview = usePreview(form);
  const input = readObject(form.input);
  const saving = useMutation({
    mutationFn: () => {
      const body = bodyOf(form, input ?? {});
      if (schedule === null) return call('create-schedule', { body });
      const { schedule_id: id, revision } = schedule;
      return call('update-schedule', { path: { id }, body: { ...body, revision } });
    },
    onSuccess: ({ name }) => {
      void client.invalidateQueries({ queryKey: ['schedules'] });
      notify(`Saved schedule ${name}`);
      onClose();
    },
  });
  const mayNotSave = input === null || preview.problem !== null;
  return (
    <FormDialog
      wide
      title={schedule === null ? 'Create a schedule' : `Change schedule ${schedule.name}`}
      action="Save schedule"
      hint={{
        request: schedule === null ? 'POST /schedules' : `PUT /schedules/${schedule.schedule_id}`,
      }}
      sending={saving}
      isIncomplete={mayNotSave}
      onSend={() => saving.mutate()}
      onClose={onClose}
    >
      {schedule === null ? (
        <TextField
          label="Name"
          hint="Unique in the tenant. A schedule keeps it; a taken name replaces that schedule."
          value={form.name}
          required
          maxLength={128}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
        />
      ) : null}
      <WorkflowFields form={form} onChange={change} />
      <TimingFields form={form} onChange={change} preview={preview} />
      <SelectField
        label="While the last execution is live"
        value={form.overlap}
        options={OVERLAPS}
        onChange={(event) => {
          const chosen = OVERLAPS.find(({ value }) => value === event.target.value);
          if (chosen !== undefined) change({ overlap: chosen.value });
        }}
      />
      <TextField
        label="Catch-up window in seconds"
        hint="A fire that is later than this is dropped; 0 drops all missed fires."
        type="number"
        min={0}
        required
        value={form.catchup}
        onChange={(event) => change({ catchup: event.target.value })}
      />
      <TextArea
        label="Input"
        hint="Of every execution that the schedule starts."
        problem={input === null ? NO_OBJECT : null}
        value={form.input}
        spellCheck={false}
        onChange={(event) => change({ input: event.target.value })}
      />
    </FormDialog>
  );
}

function WorkflowFields({
  form,
  onChange,
}: {
  readonly form: ScheduleForm;
  readonly onChange: (change: Partial<ScheduleForm>) => void;
}) {
  const suggested = useId();
  const workflows = useQuery({
    queryKey: ['workflows', 'suggested'],
    queryFn: ({ signal }) =>
      call('list-workflows', { query: { limit: WORKFLOWS_SUGGESTED }, signal }),
  });
  const ids = new Set(workflows.data?.workflows.map(({ workflow_id: id }) => id));
  return (
    <>
      <TextField
        label="Workflow"
        value={form.workflowId}
        required
        list={suggested}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange({ workflowId: event.target.value })}
      />
      <datalist id={suggested}>
        {[...ids].map((id) => (
          <option key={id}>{id}</option>
        ))}
      </datalist>
      <TextField
        label="Version"
        hint="Empty: the version that is the latest at each fire."
        value={form.workflowVersion}
        autoComplete="off"
        onChange={(event) => onChange({ workflowVersion: event.target.value })}
      />
    </>
  );
}
