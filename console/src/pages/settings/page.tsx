import { useQuery } from '@tanstack/react-query';

import { call, type ReplyOf } from '../../api/client.ts';
import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { ToggleChip } from '../../ui/controls/chip.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { DataTable, type Column } from '../../ui/data/data-table.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Row, Stack } from '../../ui/layout/stack.tsx';
import styles from './settings.module.css';

type Setting = ReplyOf<'list-settings'>['settings'][number];

/** The settings in force in the process that answers, and where each value comes from. */
export function SettingsPage() {
  const { can } = useSession();
  return (
    <Stack>
      <PageHeader title="Settings" about="What the process that answers runs with." />
      {can('GET', '/settings') ? (
        <Settings />
      ) : (
        <EmptyState title="Settings are for operators of the installation">
          <p>Ask an operator of the tenant default.</p>
        </EmptyState>
      )}
    </Stack>
  );
}

function Settings() {
  const query = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call('list-settings', { signal }),
  });
  return (
    <ReadingContent query={query}>
      {({ settings }) => <SettingList all={settings} />}
    </ReadingContent>
  );
}

function SettingList({ all }: { readonly all: readonly Setting[] }) {
  const [search, change] = useSearchState();
  const onlySet = search.only === 'set';
  const shown = all.filter(
    (setting) => isNamed(setting, search.q ?? '') && !(onlySet && setting.origin === 'default'),
  );
  return (
    <>
      <Row>
        <TextField
          label="Filter settings"
          type="search"
          data-filter
          defaultValue={search.q ?? ''}
          placeholder="Key, value or meaning"
          onChange={(event) => change({ q: event.target.value })}
        />
        <ToggleChip
          pressed={onlySet}
          onToggle={() => change({ only: onlySet ? undefined : 'set' })}
        >
          Only those that are set
        </ToggleChip>
      </Row>
      <p role="status">
        {shown.length} of {all.length} settings
      </p>
      {shown.length === 0 ? (
        <EmptyState title="No setting matches">
          <p>Keys look like runtime.port. See docs/reference/configuration.md.</p>
        </EmptyState>
      ) : (
        <DataTable label="Settings" rows={shown} rowKey={({ key }) => key} columns={COLUMNS} />
      )}
      <CallHint command="svc config show --origin" request="GET /settings" />
    </>
  );
}

/** The documentation's sentence, with what it quotes as code. */
function Meaning({ text }: { readonly text: string }) {
  const parts = text.split('`');
  return (
    <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
  );
}

function isNamed({ key, value, meaning, origin, variables }: Setting, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  const parts = [key, value, meaning, origin, ...variables];
  return parts.some((part) => part.toLowerCase().includes(wanted));
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    id: 'key',
    title: 'Key and variable',
    cell: ({ key, variables }) => (
      <>
        <code>{key}</code>
        <br />
        <code className={styles.variable}>{variables[0]}</code>
      </>
    ),
  },
  {
    id: 'value',
    title: 'Value',
    cell: ({ value }) => (value === '' ? <em>not set</em> : <code>{value}</code>),
  },
  {
    id: 'origin',
    title: 'Comes from',
    cell: ({ origin }) => <Badge tone={origin === 'default' ? 'idle' : 'run'}>{origin}</Badge>,
  },
  { id: 'meaning', title: 'Meaning', cell: ({ meaning }) => <Meaning text={meaning} /> },
];
