import { useMutation } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';

import { call } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextArea } from '../../ui/controls/field.tsx';
import { StatusBadge } from '../../ui/data/badge.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError, Loading } from '../../ui/feedback/states.tsx';
import { WorkflowGraph } from '../../ui/workflow-graph/index.ts';
import { isRecord, readJson } from '../workflow/read-input-fields.ts';
import styles from './page.module.css';
import { runsOf } from './runs-of.ts';
import type { Validation } from './use-validation.ts';

/** Runs the definition in memory: the path that an input takes, with samples for what nodes would do. */
export function SimulatePane({ definition }: { readonly definition: Validation['definition'] }) {
  const [input, setInput] = useState('{}');
  const [samples, setSamples] = useState('{}');
  const [problems, setProblems] = useState<{ input?: string; samples?: string }>({});
  const simulate = useMutation({
    mutationFn: (body: Parameters<typeof send>[0]) => send(body),
  });
  const run = () => {
    const [givenInput, givenSamples] = [readObject(input), readObject(samples)];
    setProblems({
      ...(givenInput.problem === null ? {} : { input: givenInput.problem }),
      ...(givenSamples.problem === null ? {} : { samples: givenSamples.problem }),
    });
    if (definition === null || givenInput.problem !== null || givenSamples.problem !== null) return;
    simulate.mutate({ ir: definition.ir, input: givenInput.value, samples: givenSamples.value });
  };
  const result = simulate.data;
  return (
    <div className={styles.simulate}>
      <form
        aria-label="Simulate"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <TextArea
          label="Sample input"
          spellCheck={false}
          value={input}
          problem={problems.input ?? null}
          onChange={(event) => setInput(event.target.value)}
        />
        <TextArea
          label="Sample outputs"
          spellCheck={false}
          hint={
            'By node: {"charge": {"output": {"paid": true}}, "review": {"decision": "rejected"}}'
          }
          value={samples}
          problem={problems.samples ?? null}
          onChange={(event) => setSamples(event.target.value)}
        />
        <ActionError error={simulate.error} />
        <Button
          type="submit"
          kind="primary"
          busy={simulate.isPending}
          disabled={definition === null}
        >
          Run in memory
        </Button>
        <CallHint request="POST /workflows/simulate" />
      </form>
      {result === undefined ? null : <Result result={result.run} ir={result.ir} />}
    </div>
  );
}

type Simulated = Awaited<ReturnType<typeof send>>;

function Result({
  result,
  ir,
}: {
  readonly result: Simulated['run'];
  readonly ir: Simulated['ir'];
}) {
  const nodes = useMemo(() => runsOf(result.events), [result]);
  const { status, error, assumed, is_complete: isComplete } = result;
  return (
    <section aria-label="Result of the simulation" className={styles.result}>
      <p role="status">
        <StatusBadge status={status} /> after {result.events.length} events
        {error === null ? '' : `: ${error}`}
        {isComplete ? '' : '; the run was cut off, so a loop may not end'}
      </p>
      {assumed.length === 0 ? null : (
        <p>Without a sample, these nodes succeeded with no output: {assumed.join(', ')}.</p>
      )}
      <div className={styles.graph}>
        <Suspense fallback={<Loading />}>
          <WorkflowGraph
            definition={ir}
            nodes={nodes}
            state={result.state}
            label="Path of the simulation"
          />
        </Suspense>
      </div>
      <JsonView value={result.state} label="State at the end" />
    </section>
  );
}

type Fields = Readonly<Record<string, unknown>>;

async function send({
  ir,
  input,
  samples,
}: {
  readonly ir: Fields;
  readonly input: Fields;
  readonly samples: Fields;
}) {
  const run = await call('simulate-workflow', {
    // The service checks the samples: they are what the person has written.
    body: { ir, input, samples: samples as Record<string, Record<string, never>> },
  });
  return { ir, run };
}

function readObject(
  text: string,
): { readonly problem: null; readonly value: Fields } | { readonly problem: string } {
  const read = readJson(text.trim() === '' ? '{}' : text);
  if ('problem' in read) return read;
  return isRecord(read.value)
    ? { problem: null, value: read.value }
    : { problem: 'Write a JSON object.' };
}
