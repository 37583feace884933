import { useState } from 'react';

import { useSession } from '../../../app/session.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Menu } from '../../../ui/controls/menu.tsx';
import type { FilterParameters } from '../filter.ts';
import styles from '../page.module.css';
import { ACTIONS, type Action, type Target } from './act-on-executions.ts';
import { BulkDialog } from './bulk-dialog.tsx';

/** The actions on chosen rows, or on everything that the list contains. */
export function BulkBar({
  selected,
  filter,
  onDone,
  onClear,
}: {
  readonly selected: ReadonlySet<string>;
  /** Null: without a filter, an action on everything is not offered. */
  readonly filter: FilterParameters | null;
  readonly onDone: () => void;
  readonly onClear: () => void;
}) {
  const { can } = useSession();
  const [asked, setAsked] = useState<{ readonly action: Action; readonly target: Target } | null>(
    null,
  );
  if (!can('POST', '/executions/bulk')) return null;
  if (selected.size === 0 && filter === null && asked === null) return null;
  const entriesFor = (makeTarget: () => Target) =>
    ACTIONS.map((action) => ({
      label: `${TITLES[action]}…`,
      danger: action === 'cancel',
      onSelect: () => setAsked({ action, target: makeTarget() }),
    }));
  return (
    <div role="group" aria-label="Actions on many" className={styles.chips}>
      {selected.size > 0 ? (
        <>
          <Menu
            label={`Act on ${selected.size} selected`}
            entries={entriesFor(() => ({ ids: [...selected] }))}
          />
          <Button kind="quiet" onClick={onClear}>
            Clear selection
          </Button>
        </>
      ) : null}
      {filter === null ? null : (
        <Menu
          label="Act on all that match"
          entries={entriesFor(() => ({ filter, asOf: new Date().toISOString() }))}
        />
      )}
      {asked === null ? null : (
        <BulkDialog {...asked} onDone={onDone} onClose={() => setAsked(null)} />
      )}
    </div>
  );
}

export const TITLES: Readonly<Record<Action, string>> = {
  cancel: 'Cancel',
  pause: 'Pause',
  resume: 'Resume',
  retry: 'Retry',
};
