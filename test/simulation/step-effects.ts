import type { Recorder } from './recorder.ts';
import type { Client, Held } from './requests.ts';

/** The receiver of the effects of steps: it applies each key once, however often it is called. */
export interface Effects {
  have(by: Client, of: Held & { readonly identity: string }): string;
}

export function createEffects(recorder: Recorder): Effects {
  const receipts = new Map<string, string>();
  return {
    have: ({ client, tenantId }, { key: visitKey, fence, identity }) => {
      const key = `${visitKey}/${identity}`;
      const deed = recorder.begin({
        client,
        tenantId,
        asks: { do: 'step_effect', visitKey, fence, identity, key },
      });
      const receipt = receipts.get(key) ?? `receipt ${receipts.size}`;
      receipts.set(key, receipt);
      recorder.count('step effects');
      deed.answer({ status: 200, body: { receipt } });
      return receipt;
    },
  };
}
