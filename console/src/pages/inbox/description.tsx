import styles from './page.module.css';
import type { Approval } from './read-approvals.ts';

type Asked = Pick<Approval, 'description' | 'node_id'>;

const TITLE_CHARS = 160;

/** What is asked, short enough for a title. */
export function titleOf({ description, node_id: nodeId }: Asked): string {
  if (description === null) return nodeId;
  if (!isLong(description)) return description;
  const start = description.slice(0, TITLE_CHARS).toWellFormed();
  const atWord = start.lastIndexOf(' ');
  return `${atWord > TITLE_CHARS / 2 ? start.slice(0, atWord) : start}…`;
}

/** All of a description that is too long for a title, on demand. */
export function WholeDescription({ description }: Pick<Asked, 'description'>) {
  if (description === null || !isLong(description)) return null;
  return (
    <details>
      <summary>Whole description</summary>
      <p className={styles.text}>{description}</p>
    </details>
  );
}

function isLong(description: string): boolean {
  return description.length > TITLE_CHARS;
}
