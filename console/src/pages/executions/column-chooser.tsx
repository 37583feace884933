import { CheckField } from '../../ui/controls/field.tsx';
import { COLUMNS, toggleColumn, useColumns } from './columns.ts';
import styles from './page.module.css';

export function ColumnChooser() {
  const chosen = useColumns();
  return (
    <details className={styles.columns}>
      <summary>Columns</summary>
      <div role="group" aria-label="Columns" className={styles.choices}>
        {COLUMNS.map(({ id, title }) => (
          <CheckField
            key={id}
            label={title}
            checked={chosen.includes(id)}
            onChange={() => toggleColumn(id)}
          />
        ))}
      </div>
    </details>
  );
}
