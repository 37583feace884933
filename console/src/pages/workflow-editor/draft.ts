import { chosenTenant } from '../../api/chosen-tenant.ts';

/** An unfinished definition, kept for this tab: a reload or a visit elsewhere does not lose it. */
export function readDraft(name: string): string | null {
  return sessionStorage.getItem(keyOf(name));
}

export function keepDraft(name: string, text: string): void {
  try {
    sessionStorage.setItem(keyOf(name), text);
  } catch {
    // The storage is full: the text stays on the page.
  }
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}

function keyOf(name: string): string {
  return `svc.draft.${chosenTenant() ?? ''}.${name}`;
}
