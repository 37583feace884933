import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextArea, TextField } from '../../ui/controls/field.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError, EmptyState } from '../../ui/feedback/states.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { FactText } from './fact-text.tsx';
import { describeScope } from './read-facts.ts';
import { NO_SCOPE, ScopeFields, scopeOf } from './scope-fields.tsx';

type Recalled = ReplyOf<'recall-facts'>['facts'][number];

/** Recalls facts as an agent would, with the similarity of each. */
export function RecallPane() {
  const [query, setQuery] = useState('');
  const [count, setCount] = useState('5');
  const [scope, setScope] = useState(NO_SCOPE);
  const recalling = useMutation({
    mutationFn: () =>
      call('recall-facts', { body: { query, ...scopeOf(scope), k: Number(count) } }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        recalling.mutate();
      }}
    >
      <Stack>
        <TextArea
          label="Text to recall by"
          rows={2}
          value={query}
          required
          onChange={(event) => setQuery(event.target.value)}
        />
        <ScopeFields scope={scope} onChange={setScope} />
        <TextField
          label="How many"
          type="number"
          min={1}
          required
          value={count}
          onChange={(event) => setCount(event.target.value)}
        />
        <div>
          <Button kind="primary" type="submit" busy={recalling.isPending}>
            Recall
          </Button>
        </div>
        <ActionError error={recalling.error} />
        <CallHint request="POST /v1/memory/recall" />
        {recalling.data === undefined ? null : recalling.data.facts.length === 0 ? (
          <EmptyState title="Nothing is recalled">
            <p>Facts of an end user or an agent are found only with that user or agent.</p>
          </EmptyState>
        ) : (
          <DataTable
            label="Recalled facts"
            rows={recalling.data.facts}
            rowKey={({ id }) => id}
            columns={COLUMNS}
          />
        )}
      </Stack>
    </form>
  );
}

const COLUMNS: readonly Column<Recalled>[] = [
  {
    id: 'similarity',
    title: 'Similarity',
    numeric: true,
    cell: ({ similarity }) => similarity.toFixed(3),
  },
  { id: 'content', title: 'Fact', cell: ({ content }) => <FactText content={content} /> },
  { id: 'scope', title: 'Whose', cell: describeScope },
];
