import { useState } from 'react';

import { useSession } from '../../../app/session.tsx';
import type { Search } from '../../../app/search.ts';
import { TextField } from '../../../ui/controls/field.tsx';
import { FormDialog } from '../../../ui/controls/form-dialog.tsx';
import { Menu } from '../../../ui/controls/menu.tsx';
import { keepView, readViews, removeView } from './kept-views.ts';

/** Filters that have a name: to open, to save, and to remove. */
export function SavedViews({
  search,
  canSave,
  onOpen,
}: {
  readonly search: Search;
  readonly canSave: boolean;
  readonly onOpen: (search: Search) => void;
}) {
  const { who } = useSession();
  const tenantId = who.tenant_id ?? 'default';
  const [views, setViews] = useState(() => readViews(tenantId));
  const [name, setName] = useState<string | null>(null);
  return (
    <>
      <Menu
        label="Views"
        entries={[
          ...views.map((view) => ({ label: view.name, onSelect: () => onOpen(view.search) })),
          {
            label: 'Save this view…',
            disabled: !canSave,
            onSelect: () => setName(''),
          },
          ...views.map((view) => ({
            label: `Remove ${view.name}`,
            danger: true,
            onSelect: () => setViews(removeView(tenantId, view.name)),
          })),
        ]}
      />
      {name === null ? null : (
        <FormDialog
          title="Save this view"
          action="Save"
          keep="Close"
          isIncomplete={name.trim() === ''}
          onSend={() => {
            setViews(keepView(tenantId, { name: name.trim(), search }));
            setName(null);
          }}
          onClose={() => setName(null)}
        >
          <TextField
            label="Name"
            hint="This browser keeps the view, for this tenant."
            value={name}
            maxLength={60}
            onChange={(event) => setName(event.target.value)}
          />
        </FormDialog>
      )}
    </>
  );
}
