import type { Search } from '../../../app/search.ts';

/** A filter with a name, kept by this browser for one tenant. */
export interface View {
  readonly name: string;
  readonly search: Search;
}

const VIEWS_MAX = 50;

export function readViews(tenantId: string): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(tenantId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

/** A view of the same name is replaced. */
export function keepView(tenantId: string, view: View): readonly View[] {
  const others = readViews(tenantId).filter(({ name }) => name !== view.name);
  return writeViews(tenantId, [...others, view].slice(-VIEWS_MAX));
}

export function removeView(tenantId: string, name: string): readonly View[] {
  return writeViews(
    tenantId,
    readViews(tenantId).filter((view) => view.name !== name),
  );
}

function writeViews(tenantId: string, views: readonly View[]): readonly View[] {
  localStorage.setItem(keyOf(tenantId), JSON.stringify(views));
  return views;
}

function keyOf(tenantId: string): string {
  return `svc.executions.views.${tenantId}`;
}

function isView(value: unknown): value is View {
  if (typeof value !== 'object' || value === null) return false;
  if (!('name' in value) || typeof value.name !== 'string') return false;
  if (!('search' in value) || typeof value.search !== 'object' || value.search === null) {
    return false;
  }
  return Object.values(value.search).every((part) => typeof part === 'string');
}
