import { useEffect, useState } from 'react';

import { followSequence, type Followed } from './follow-sequence.ts';

const OPENING: Followed = { seen: null, connection: 'opening' };
/** The shortest time between two refreshes of what the page shows. */
const REFRESH_MS = 500;

/**
 * The last sequence that an execution has reached. Every reading of the page is keyed by it, so that
 * a reading that began before an event never stands for the state after it.
 */
export function useFollowed(id: string): Followed {
  const [followed, setFollowed] = useState<Followed>(OPENING);
  useEffect(() => {
    const stop = new AbortController();
    const gather = gatherReports((change) =>
      setFollowed((before) => {
        const next = { ...before, ...change };
        return next.seen === before.seen && next.connection === before.connection ? before : next;
      }),
    );
    void followSequence(id, { signal: stop.signal, report: gather.report });
    return () => {
      stop.abort();
      gather.stop();
    };
  }, [id]);
  return followed;
}

/** Passes the first report on at once, and later ones together. The last one is never dropped. */
function gatherReports(pass: (change: Partial<Followed>) => void) {
  let gathered: Partial<Followed> = {};
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    timer = null;
    if (Object.keys(gathered).length === 0) return;
    pass(gathered);
    gathered = {};
    timer = setTimeout(flush, REFRESH_MS);
  };
  return {
    report: (change: Partial<Followed>) => {
      gathered = { ...gathered, ...change };
      if (timer === null) flush();
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      gathered = {};
    },
  };
}
