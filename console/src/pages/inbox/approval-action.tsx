import type { ReactNode } from 'react';

import { Copyable } from '../../ui/data/copyable.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import styles from './page.module.css';
import type { Approval } from './read-approvals.ts';

/** What happens after an approval, readable: the tool, each argument, and the hash of all of it. */
export function ApprovalAction({ approval }: { readonly approval: Approval }) {
  const { shown, shown_hash: hash, tool } = approval;
  if (shown === null) {
    return <p className={styles.about}>The workflow continues after an approval.</p>;
  }
  return (
    <section aria-label="What is asked" className={styles.action}>
      {tool === null ? (
        <Members label="Content" value={shown} />
      ) : (
        <>
          <p>
            Calls the tool <code>{tool}</code> with
          </p>
          <Members label="Arguments" value={approval.arguments} />
        </>
      )}
      {hash === null ? null : (
        <p className={styles.hash}>
          Your decision is bound to <Copyable text={hash} label="hash of the content" shorten />
        </p>
      )}
    </section>
  );
}

function Members({ label, value }: { readonly label: string; readonly value: unknown }) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return showValue(label, value);
  }
  const members = Object.entries(value);
  if (members.length === 0) return <p className={styles.about}>no arguments</p>;
  return <Facts facts={members.map(([name, inner]) => [name, showValue(name, inner)])} />;
}

/** Texts as texts, with their lines; only what has parts is a tree. */
function showValue(name: string, value: unknown): ReactNode {
  if (typeof value === 'string') return <span className={styles.text}>{value}</span>;
  if (typeof value === 'object' && value !== null) return <JsonView label={name} value={value} />;
  return <code>{String(value)}</code>;
}
