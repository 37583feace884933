import type { ReactNode } from 'react';

import { classNames } from '../class-names.ts';
import styles from './badge.module.css';

export type Tone = 'ok' | 'run' | 'wait' | 'bad' | 'idle';

/** A short word with a tone; the word carries the meaning, the colour only helps. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={classNames(styles.badge, styles[tone])}>{children}</span>;
}

const TONES: Readonly<Record<string, Tone>> = {
  running: 'run',
  leased: 'run',
  active: 'ok',
  completed: 'ok',
  delivered: 'ok',
  approved: 'ok',
  paused: 'wait',
  waiting_for_a_worker: 'wait',
  pending: 'wait',
  waiting: 'wait',
  retrying: 'wait',
  suspended: 'wait',
  failed: 'bad',
  rejected: 'bad',
  dead: 'bad',
  cancelled: 'idle',
};

/** The status of an execution, a node, a delivery or another thing that has one. */
export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={TONES[status] ?? 'idle'}>{status.replaceAll('_', ' ')}</Badge>;
}
