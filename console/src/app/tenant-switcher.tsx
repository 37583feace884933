import { useQuery, useQueryClient } from '@tanstack/react-query';

import { chooseTenant, useChosenTenant } from '../api/chosen-tenant.ts';
import { call } from '../api/client.ts';
import { SelectField } from '../ui/controls/field.tsx';
import { useSession } from './session.tsx';
import styles from './tenant-switcher.module.css';

const TENANTS_SHOWN = 100;

/** The tenant on screen; an operator chooses it, anybody else sees its name. */
export function TenantSwitcher() {
  const { who, can } = useSession();
  const client = useQueryClient();
  const chosen = useChosenTenant();
  const mayChoose = who.is_operator && can('GET', '/tenants');
  const tenants = useQuery({
    queryKey: ['tenants', 'switcher'],
    queryFn: ({ signal }) => call('list-tenants', { query: { limit: TENANTS_SHOWN }, signal }),
    enabled: mayChoose,
  });
  if (!mayChoose)
    return who.tenant_id === null ? null : <span className={styles.name}>{who.tenant_id}</span>;
  const ids = tenants.data?.tenants.map((tenant) => tenant.id) ?? [];
  const current = chosen ?? who.tenant_id ?? '';
  return (
    <div className={styles.switcher}>
      <SelectField
        label="Tenant"
        hideLabel
        value={current}
        options={[...new Set([current, ...ids])].map((id) => ({
          value: id,
          label: id || 'Choose a tenant',
        }))}
        onChange={(event) => {
          chooseTenant(event.target.value === who.tenant_id ? null : event.target.value || null);
          void client.resetQueries();
        }}
      />
    </div>
  );
}
