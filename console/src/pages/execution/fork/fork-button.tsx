import { useState } from 'react';

import { useSession } from '../../../app/session.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import type { ForkFrom } from './fork-request.ts';

/** Opens the dialog of a fork; absent for a role that may not fork. */
export function ForkButton({
  id,
  from,
  label = 'Fork from here',
}: {
  readonly id: string;
  readonly from: ForkFrom;
  readonly label?: string;
}) {
  const { can } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!can('POST', '/executions/:id/fork')) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      {isOpen ? <ForkDialog {...{ id, from }} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
