import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { SelectField, TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { readForm } from '../../ui/layout/toolbar.tsx';
import { COUNT_LIMITS, MEMORY_TIERS, readLimits, type Tenant, WHEN_FULL } from './limits.ts';

const TIERS = [
  { value: '', label: 'The service’s default' },
  ...MEMORY_TIERS.map((tier) => ({ value: tier, label: tier })),
];

/** Changes the name and the limits of a tenant. Its policy stays as it is. */
export function EditTenantDialog({
  tenant,
  onClose,
}: {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: (values: Readonly<Record<string, string>>) =>
      call('update-tenant', {
        path: { id: tenant.id },
        body: { name: values.name ?? tenant.name, limits: readLimits(values) },
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['tenants'] });
      notify(`Changed tenant ${tenant.id}`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Change tenant ${tenant.id}`}
      description="A limit without a value does not apply."
      action="Save"
      hint={{ request: `PUT /tenants/${tenant.id}` }}
      sending={saving}
      onSend={(form) => saving.mutate(readForm(form))}
      onClose={onClose}
    >
      <TextField label="Name" name="name" defaultValue={tenant.name} required maxLength={256} />
      {COUNT_LIMITS.map(({ key, label, hint, min }) => (
        <TextField
          key={key}
          label={label}
          hint={hint}
          name={key}
          type="number"
          min={min}
          step={1}
          defaultValue={tenant.limits[key] ?? ''}
        />
      ))}
      <SelectField
        label="Further starts"
        name="when_full"
        defaultValue={tenant.limits.when_full ?? 'refuse'}
        options={WHEN_FULL}
      />
      <SelectField
        label="Tier of memory"
        name="memory_tier"
        defaultValue={tenant.limits.memory_tier ?? ''}
        options={TIERS}
      />
    </FormDialog>
  );
}
