import { fetchApi } from '../../../api/client.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ActionError } from '../../../ui/feedback/states.tsx';
import { useAction } from './use-action.ts';

/** Saves the whole execution as one document. */
export function ExportButton({ id }: { readonly id: string }) {
  const exported = useAction('Exported the execution', async () => {
    const response = await fetchApi(`executions/${encodeURIComponent(id)}/export`);
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = `${id}.json`;
    link.click();
    URL.revokeObjectURL(url);
  });
  return (
    <>
      <Button busy={exported.isPending} onClick={() => exported.mutate()}>
        Export
      </Button>
      <ActionError error={exported.error} />
    </>
  );
}
