import { useSearchState } from '../../app/search.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { FilterBar } from '../../ui/layout/toolbar.tsx';
import { Row } from '../../ui/layout/stack.tsx';

const NOTHING = { actor: '', action: '', execution: '', since: '', until: '' };

/** Filters by actor, action, object and time; the address carries them. */
export function AuditFilters() {
  const [search, change] = useSearchState();
  const { actor = '', action = '', execution = '', since = '', until = '' } = search;
  return (
    // A filter from elsewhere, such as a link or "Clear", replaces the form; typing does not.
    <FilterBar
      key={JSON.stringify([actor, action, execution, since, until])}
      label="Filter the audit log"
      onApply={(values) => change(values)}
    >
      <TextField
        label="Actor"
        name="actor"
        defaultValue={actor}
        data-filter
        placeholder="token:ci, worker:a"
        spellCheck={false}
      />
      <TextField
        label="Action"
        name="action"
        defaultValue={action}
        placeholder="token_created"
        spellCheck={false}
      />
      <TextField
        label="Execution"
        name="execution"
        defaultValue={execution}
        placeholder="exec_…"
        spellCheck={false}
      />
      <TextField label="From" name="since" type="datetime-local" step={1} defaultValue={since} />
      <TextField label="Before" name="until" type="datetime-local" step={1} defaultValue={until} />
      <Row>
        <Button type="submit" kind="primary">
          Filter
        </Button>
        <Button onClick={() => change(NOTHING)}>Clear</Button>
      </Row>
    </FilterBar>
  );
}
