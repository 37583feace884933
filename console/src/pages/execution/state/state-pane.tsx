import { useSearchState } from '../../../app/search.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Tabs } from '../../../ui/controls/tabs.tsx';
import { CallHint } from '../../../ui/feedback/call-hint.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import type { Selection } from '../selection.ts';
import { StateBlame } from './state-blame.tsx';
import { StateChanges } from './state-changes.tsx';
import styles from './state-pane.module.css';
import { StateWhole } from './state-whole.tsx';
import { useSettled } from './use-settled.ts';

const SETTLE_MS = 150;
const VIEWS = ['changes', 'state', 'blame'] as const;
type View = (typeof VIEWS)[number];

/** The state after any event: as a whole, as what the event changed, and by who set each key. */
export function StatePane({
  id,
  seen,
  selection,
}: {
  readonly id: string;
  readonly seen: number;
  readonly selection: Selection;
}) {
  const [search, change] = useSearchState();
  const chosen = Math.min(selection.at ?? seen, seen);
  const at = useSettled(chosen, SETTLE_MS);
  const view: View = VIEWS.find((one) => one === search.state) ?? 'state';
  return (
    <Panel
      title="State"
      actions={
        <Button disabled={selection.at === null} onClick={() => selection.select({ at: null })}>
          Follow the last event
        </Button>
      }
    >
      <div className={styles.slider}>
        <Button
          aria-label="Previous event"
          disabled={chosen <= 0}
          onClick={() => selection.select({ at: chosen - 1 })}
        >
          ◀
        </Button>
        <input
          type="range"
          aria-label="State after event"
          aria-valuetext={`event ${chosen} of ${seen}`}
          min={0}
          max={seen}
          value={chosen}
          onChange={(event) => selection.select({ at: event.target.valueAsNumber })}
        />
        <Button
          aria-label="Next event"
          disabled={chosen >= seen}
          onClick={() => selection.select({ at: chosen + 1 })}
        >
          ▶
        </Button>
      </div>
      <p className={styles.note}>
        After event {chosen} of {seen}
      </p>
      <Tabs
        label="Views of the state"
        value={view}
        onChange={(next) => change({ state: next === 'state' ? undefined : next })}
        tabs={[
          { id: 'state', title: 'State', content: <StateWhole id={id} at={at} /> },
          { id: 'changes', title: 'Changes', content: <StateChanges id={id} at={at} /> },
          {
            id: 'blame',
            title: 'Who set it',
            content: (
              <StateBlame
                id={id}
                at={at}
                onSelect={(sequence, node) => selection.select({ at: sequence, node })}
              />
            ),
          },
        ]}
      />
      <CallHint
        command={`svc execution state ${id} --at ${at}`}
        request={`GET /executions/${id}/state?sequence=${at}`}
      />
    </Panel>
  );
}
