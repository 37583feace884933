import { createStore } from '../../api/store.ts';
import styles from './toast.module.css';

interface Notice {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 6_000;
const notices = createStore<readonly Notice[]>([]);
let lastId = 0;

/** Says that an action took effect. Refusals stand where they arose instead. */
export function notify(text: string): void {
  lastId += 1;
  const id = lastId;
  notices.write([...notices.read(), { id, text }]);
  setTimeout(() => notices.write(notices.read().filter((notice) => notice.id !== id)), SHOWN_MS);
}

export function Toasts() {
  return (
    <div role="status" aria-live="polite" className={styles.toasts}>
      {notices.use().map(({ id, text }) => (
        <p key={id} className={styles.toast}>
          {text}
        </p>
      ))}
    </div>
  );
}
