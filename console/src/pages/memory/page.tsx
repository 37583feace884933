import { useState } from 'react';

import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { AddFactDialog } from './add-fact-dialog.tsx';
import { FactsPane } from './facts-pane.tsx';
import { RecallPane } from './recall-pane.tsx';
import { SettingsPane } from './settings-pane.tsx';

const FACTS = { id: 'facts', title: 'Facts', content: <FactsPane /> } as const;
const RECALL = { id: 'recall', title: 'Recall', content: <RecallPane /> } as const;
const SETTINGS = { id: 'settings', title: 'Settings', content: <SettingsPane /> } as const;

/** What agents remember: the facts, a place to try recalls, and the settings. */
export function MemoryPage() {
  const { can } = useSession();
  const [search, change] = useSearchState();
  const [adds, setAdds] = useState(false);
  const tabs = can('POST', '/v1/memory/recall') ? [FACTS, RECALL, SETTINGS] : [FACTS, SETTINGS];
  const chosen = tabs.find(({ id }) => id === search.tab) ?? FACTS;
  return (
    <Stack>
      <PageHeader title="Memory" about="Facts that agents remember.">
        {can('POST', '/v1/memory/add') ? (
          <Button kind="primary" onClick={() => setAdds(true)}>
            Add fact…
          </Button>
        ) : null}
      </PageHeader>
      <Tabs
        label="Memory"
        tabs={tabs}
        value={chosen.id}
        onChange={(id) => change({ tab: id === FACTS.id ? undefined : id })}
      />
      {adds ? <AddFactDialog onClose={() => setAdds(false)} /> : null}
    </Stack>
  );
}
