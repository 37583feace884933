import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { Button } from '../../ui/controls/button.tsx';
import { tellNumber } from '../../ui/data/tell-number.ts';
import { saveFile } from '../../ui/data/save-file.ts';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { exportItems } from './export-items.ts';
import type { AuditFilter } from './read-filter.ts';

/** Saves the items of the filter as a file of JSON Lines. */
export function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const [stop, setStop] = useState<AbortController | null>(null);
  const [read, setRead] = useState(0);
  const exporting = useMutation({
    mutationFn: async () => {
      const abort = new AbortController();
      setStop(abort);
      return exportItems(filter, { signal: abort.signal, onProgress: setRead });
    },
    onSuccess: ({ file, items, isWhole }) => {
      saveFile('audit.jsonl', file);
      const rest = isWhole ? '' : ' There are more: "svc audit export" has no limit.';
      notify(`Saved ${tellNumber(items, 'item')}.${rest}`);
    },
    onSettled: () => {
      setStop(null);
      setRead(0);
    },
  });
  if (stop !== null) {
    return (
      <Button onClick={() => stop.abort()}>Stop the export ({tellNumber(read, 'item')})</Button>
    );
  }
  const wasStopped = exporting.error instanceof DOMException;
  return (
    <>
      <Button onClick={() => exporting.mutate()}>Export as JSON Lines</Button>
      <ActionError error={wasStopped ? null : exporting.error} />
    </>
  );
}
