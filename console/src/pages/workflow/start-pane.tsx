import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';

import { call } from '../../api/client.ts';
import { newKey } from '../../api/new-key.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CheckField, SelectField, TextArea } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { quoteArgument } from '../../ui/feedback/quote-argument.ts';
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
import { readLabels } from './read-labels.ts';
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
  const [labelLines, setLabelLines] = useState('');
  const [problems, setProblems] = useState<InputTexts>({});
  const navigate = useNavigate();
  // One key for each distinct attempt: sending the same form twice starts one execution.
  const attempt = useRef({ text: '', key: '' });
  const start = useMutation({
    mutationFn: ({ input, labels }: Wanted) => {
      const text = JSON.stringify([input, labels]);
      if (attempt.current.text !== text) attempt.current = { text, key: newKey() };
      return call('start-execution', {
        body: { workflow_id: id, workflow_version: version, input, labels },
        headers: { 'idempotency-key': attempt.current.key },
      });
    },
    onSuccess: (reply, { input }) => {
      keepInput(id, input);
      if (!('execution_id' in reply)) return;
      notify(`Started an execution of ${id}`);
      void navigate({ to: '/executions/$id', params: { id: reply.execution_id } });
    },
    onError: () => {
      attempt.current = { text: '', key: '' };
    },
  });
  const labels = readLabels(labelLines);
  const [labelProblem, setLabelProblem] = useState<string | null>(null);
  const submit = () => {
    const read = fields === null || isJson ? readWhole(json) : readInput(fields, texts);
    setProblems(read.ok ? {} : read.problems);
    setLabelProblem(labels.ok ? null : labels.problem);
    if (read.ok && labels.ok) start.mutate({ input: read.input, labels: labels.labels });
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
      <TextArea
        label="Labels"
        hint="One a line, such as customer=acme. You find the execution by them."
        rows={2}
        spellCheck={false}
        value={labelLines}
        problem={labelProblem}
        onChange={(event) => setLabelLines(event.target.value)}
      />
      <ActionError error={start.error} />
      <div className={styles.choice}>
        <Button kind="primary" type="submit" busy={start.isPending}>
          Start execution
        </Button>
      </div>
      <CallHint
        command={`svc execution start ${id} --version ${version} --input '…'${labels.ok ? writeOptions(labels.labels) : ''}`}
        request="POST /executions"
      />
    </form>
  );
}

interface Wanted {
  readonly input: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
}

function writeOptions(labels: Wanted['labels']): string {
  const options = Object.entries(labels).map(
    ([name, value]) => ` --label ${quoteArgument(`${name}=${value}`)}`,
  );
  return options.join('');
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
