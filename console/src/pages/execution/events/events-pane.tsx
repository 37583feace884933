import { useState } from 'react';

import { useSearchState } from '../../../app/search.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ToggleChip } from '../../../ui/controls/chip.tsx';
import { TextField } from '../../../ui/controls/field.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import type { Selection } from '../selection.ts';
import { AllEvents } from './all-events.tsx';
import { isKindGroup, KIND_GROUPS } from './event-kinds.ts';
import { EventPayload } from './event-payload.tsx';
import styles from './events-pane.module.css';
import { FilteredEvents } from './filtered-events.tsx';

/** The history: every event, or those of some kinds, and the chosen one in full. */
export function EventsPane({
  id,
  seen,
  startedAt,
  selection,
}: {
  readonly id: string;
  readonly seen: number;
  readonly startedAt: string | null;
  readonly selection: Selection;
}) {
  const [search, change] = useSearchState();
  const group = search.kinds !== undefined && isKindGroup(search.kinds) ? search.kinds : null;
  const shared = { id, seen, startedAt, selection };
  return (
    <Panel title="Events" actions={<span>{seen} events</span>}>
      <div className={styles.bar}>
        {Object.keys(KIND_GROUPS).map((name) => (
          <ToggleChip
            key={name}
            pressed={name === group}
            onToggle={() => change({ kinds: name === group ? undefined : name })}
          >
            {name}
          </ToggleChip>
        ))}
        <JumpForm seen={seen} onJump={(at) => selection.select({ at })} />
      </div>
      {group === null ? <AllEvents {...shared} /> : <FilteredEvents {...shared} group={group} />}
      {selection.at === null || selection.at < 1 || selection.at > seen ? (
        <p>Choose an event to read its payload.</p>
      ) : (
        <EventPayload key={selection.at} id={id} sequence={selection.at} />
      )}
    </Panel>
  );
}

function JumpForm({
  seen,
  onJump,
}: {
  readonly seen: number;
  readonly onJump: (sequence: number) => void;
}) {
  const [text, setText] = useState('');
  const sequence = /^\d{1,9}$/.test(text) ? Number(text) : null;
  const isThere = sequence !== null && sequence >= 1 && sequence <= seen;
  return (
    <form
      className={styles.jump}
      onSubmit={(event) => {
        event.preventDefault();
        if (isThere) onJump(sequence);
      }}
    >
      <TextField
        label="Sequence"
        inputMode="numeric"
        autoComplete="off"
        value={text}
        problem={text === '' || isThere ? null : `Expected a sequence from 1 to ${seen}.`}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={!isThere}>
        Jump
      </Button>
    </form>
  );
}
