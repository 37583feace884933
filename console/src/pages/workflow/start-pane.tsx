import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';

import { call } from '../../api/client.ts';
import { newKey } from '../../api/new-key.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CheckField, SelectField, TextArea } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { InputFields } from './input-fields.tsx';
import { keepInput, readLastInputs } from './last-inputs.ts';
import styles from './page.module.css';
import {
  type InputTexts,
  isRecord,
  readInput,
  readInputFields,
  readJson,
  type ReadInput,
  writeInput,
} from './read-input-fields.ts';
import type { Workflow } from './read-workflow.ts';

/** Starts an execution: a form of the state schema, or the input as JSON, filled in with an earlier one. */
export function StartPane({ workflow }: { readonly workflow: Workflow }) {
  const { workflow_id: id, version, ir } = workflow;
  const fields = readInputFields(ir['state_schema']);
  const [earlier] = useState(() => readLastInputs(id));
  const [texts, setTexts] = useState<InputTexts>(() =>
    fields === null ? {} : writeInput(fields, earlier[0] ?? {}),
  );
  const [json, setJson] = useState(() => JSON.stringify(earlier[0] ?? {}, null, 2));
  const [isJson, setIsJson] = useState(fields === null);
  const [problems, setProblems] = useState<InputTexts>({});
  const navigate = useNavigate();
  // One key for each distinct attempt: sending the same form twice starts one execution.
  const attempt = useRef({ text: '', key: '' });
  const start = useMutation({
    mutationFn: (input: Readonly<Record<string, unknown>>) => {
      const text = JSON.stringify(input);
      if (attempt.current.text !== text) attempt.current = { text, key: newKey() };
      return call('start-execution', {
        body: { workflow_id: id, workflow_version: version, input },
        headers: { 'idempotency-key': attempt.current.key },
      });
    },
    onSuccess: (reply, input) => {
      keepInput(id, input);
      if (!('execution_id' in reply)) return;
      notify(`Started an execution of ${id}`);
      void navigate({ to: '/executions/$id', params: { id: reply.execution_id } });
    },
    onError: () => {
      attempt.current = { text: '', key: '' };
    },
  });
  const submit = () => {
    const read = fields === null || isJson ? readWhole(json) : readInput(fields, texts);
    setProblems(read.ok ? {} : read.problems);
    if (read.ok) start.mutate(read.input);
  };
  return (
    <form
      className={styles.form}
      aria-label={`Start ${id}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={styles.choice}>
        {earlier.length === 0 ? null : (
          <SelectField
            label="Earlier inputs"
            defaultValue="0"
            onChange={(event) => {
              const input = earlier[Number(event.target.value)] ?? {};
              if (fields !== null) setTexts(writeInput(fields, input));
              setJson(JSON.stringify(input, null, 2));
            }}
            options={earlier.map((input, at) => ({
              value: String(at),
              label: shorten(JSON.stringify(input)),
            }))}
          />
        )}
        {fields === null ? null : (
          <CheckField
            label="Write the input as JSON"
            checked={isJson}
            onChange={(event) => {
              const read = readInput(fields, texts);
              if (event.target.checked && read.ok) setJson(JSON.stringify(read.input, null, 2));
              setIsJson(event.target.checked);
            }}
          />
        )}
      </div>
      {fields === null || isJson ? (
        <TextArea
          label="Input (JSON object)"
          rows={10}
          spellCheck={false}
          value={json}
          problem={problems[''] ?? null}
          onChange={(event) => setJson(event.target.value)}
        />
      ) : (
        <InputFields
          fields={fields}
          texts={texts}
          problems={problems}
          onChange={(name, text) => setTexts((before) => ({ ...before, [name]: text }))}
        />
      )}
      <ActionError error={start.error} />
      <div className={styles.choice}>
        <Button kind="primary" type="submit" busy={start.isPending}>
          Start execution
        </Button>
      </div>
      <CallHint
        command={`svc execution start ${id} --version ${version} --input '…'`}
        request="POST /executions"
      />
    </form>
  );
}

function readWhole(text: string): ReadInput {
  const read = readJson(text);
  if ('problem' in read) return { ok: false, problems: { '': read.problem } };
  if (isRecord(read.value)) return { ok: true, input: read.value };
  return { ok: false, problems: { '': 'The input is a JSON object: {"name": "value"}.' } };
}

const LABEL_MAX = 60;

function shorten(text: string): string {
  return text.length <= LABEL_MAX ? text : `${text.slice(0, LABEL_MAX - 1)}…`;
}
