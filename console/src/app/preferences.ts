import { createStore } from '../api/store.ts';
import type { TimeZone } from '../ui/data/format-time.ts';

export type Theme = 'light' | 'dark';

const THEME_KEY = 'svc.theme';
const ZONE_KEY = 'svc.zone';

const theme = createStore<Theme>(initialTheme());
const zone = createStore<TimeZone>(localStorage.getItem(ZONE_KEY) === 'utc' ? 'utc' : 'local');

export const useTheme = theme.use;
export const useTimeZone = zone.use;

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.read();
}

export function toggleTheme(): void {
  const next = theme.read() === 'dark' ? 'light' : 'dark';
  localStorage.setItem(THEME_KEY, next);
  theme.write(next);
  applyTheme();
}

export function toggleTimeZone(): void {
  const next = zone.read() === 'utc' ? 'local' : 'utc';
  localStorage.setItem(ZONE_KEY, next);
  zone.write(next);
}

function initialTheme(): Theme {
  const kept = localStorage.getItem(THEME_KEY);
  if (kept === 'light' || kept === 'dark') return kept;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
