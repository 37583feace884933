import { createStore } from './store.ts';

const KEY = 'svc.tenant';

/** The tenant that an operator looks at; null: the token's own. Kept for this browser tab. */
const store = createStore<string | null>(sessionStorage.getItem(KEY));

export const chosenTenant = store.read;
export const useChosenTenant = store.use;

export function chooseTenant(tenantId: string | null): void {
  if (tenantId === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, tenantId);
  store.write(tenantId);
}
