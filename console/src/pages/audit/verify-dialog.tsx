import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

import { useTenantId } from '../../app/use-tenant-id.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { Copyable } from '../../ui/data/copyable.tsx';
import { DataTable } from '../../ui/data/data-table.tsx';
import { tellNumber } from '../../ui/data/tell-number.ts';
import { AbsoluteTime } from '../../ui/data/time.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { verifyLog, type Verdict } from './verify-log.ts';

/** Verifies the tenant's log and shows the outcome. Closing the dialog stops the reading. */
export function VerifyDialog({ onClose }: { readonly onClose: () => void }) {
  const tenantId = useTenantId();
  const [head, setHead] = useState('');
  const [progress, setProgress] = useState<Verdict | null>(null);
  const abort = useRef(new AbortController());
  // React's strict mode mounts twice, so each mount has a controller of its own.
  useEffect(() => {
    const own = new AbortController();
    abort.current = own;
    return () => own.abort();
  }, []);
  const verifying = useMutation({
    mutationFn: () =>
      verifyLog({ head: head.trim(), signal: abort.current.signal, onProgress: setProgress }),
  });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Verify the audit log"
      description="Compares every sealed item of the tenant with the seals. Changed, added and missing items are named."
    >
      <TextField
        label="Head kept elsewhere"
        hint="Optional. A head that an earlier verification gave also reveals a log that was cut off or rebuilt."
        value={head}
        spellCheck={false}
        onChange={(event) => setHead(event.target.value)}
      />
      {verifying.isPending ? (
        <p role="status">Compared {tellNumber(progress?.items ?? 0, 'item')} so far…</p>
      ) : null}
      {verifying.data === undefined ? null : <VerdictView verdict={verifying.data} />}
      <ActionError error={verifying.error} />
      <CallHint command={`svc audit verify --tenant ${tenantId}`} request="GET /audit/verify" />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" busy={verifying.isPending} onClick={() => verifying.mutate()}>
          Verify
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function VerdictView({ verdict }: { readonly verdict: Verdict }) {
  const { problems, head, sealed_until: sealedUntil } = verdict;
  return (
    <Stack>
      <p role="status">
        {problems.length === 0 ? (
          <Badge tone="ok">matches its seals</Badge>
        ) : (
          <Badge tone="bad">does not match its seals</Badge>
        )}{' '}
        {tellNumber(verdict.items, 'item')} in {tellNumber(verdict.windows, 'window')} match.
      </p>
      <Facts
        facts={[
          ['Sealed until', sealedUntil === null ? '–' : <AbsoluteTime key="at" at={sealedUntil} />],
          ['Executions that agree', verdict.executions],
          ['Definitions that agree', verdict.definitions],
          ['Removed by retention', verdict.retired],
          ['Imported', verdict.imported],
        ]}
      />
      {head === null ? (
        <p>Nothing is sealed yet: a scheduler seals items within a minute.</p>
      ) : (
        <p>
          Keep this head elsewhere: <Copyable text={head} label="head" />
        </p>
      )}
      {problems.length === 0 ? null : (
        <DataTable
          label="Problems"
          rows={problems.map((problem, index) => ({ ...problem, index }))}
          rowKey={({ index }) => String(index)}
          columns={[
            { id: 'what', title: 'Problem', cell: ({ what }) => what.replaceAll('_', ' ') },
            { id: 'window', title: 'Window', numeric: true, cell: ({ window }) => window ?? '–' },
            { id: 'item', title: 'Item', cell: ({ row }) => row?.id ?? '–' },
            { id: 'execution', title: 'Execution', cell: ({ row }) => row?.execution_id ?? '–' },
          ]}
        />
      )}
    </Stack>
  );
}
