import type { NodeCall } from '../run.ts';

export interface TextRecorder {
  readonly add: (text: string) => Promise<void>;
  /** Records what has gathered. */
  readonly flush: () => Promise<void>;
}

const BATCH_CHARACTERS = 4096;
const BATCH_MS = 500;

/**
 * Records streamed text in batches: the first piece at once, then what has gathered each half second,
 * or sooner when it is much. `index` counts the batches of one attempt from 0.
 */
export function createTextRecorder(params: {
  readonly call: Pick<NodeCall, 'record'>;
  readonly now: () => number;
}): TextRecorder {
  const { call, now } = params;
  let gathered = '';
  let index = 0;
  let recordedAt = Number.NEGATIVE_INFINITY;

  async function flush(): Promise<void> {
    // A surrogate whose other half is still to come waits for it.
    const isCut = /[\ud800-\udbff]$/.test(gathered);
    const text = keepable(isCut ? gathered.slice(0, -1) : gathered);
    gathered = isCut ? gathered.slice(-1) : '';
    if (text === '') return;
    recordedAt = now();
    const data = { text, index };
    index += 1;
    await call.record({ name: 'model_output', data, kept: false });
  }

  return {
    async add(text: string): Promise<void> {
      gathered += text;
      const isDue = gathered.length >= BATCH_CHARACTERS || now() - recordedAt >= BATCH_MS;
      if (isDue) await flush();
    },
    flush,
  };
}

/** As both stores keep it. */
function keepable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
