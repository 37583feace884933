import { nearestName } from '../domain/nearest-name.ts';
import { CONFIG_KEY_NAMES } from './keys.ts';

/** A hint at the known key or section an unknown one was probably meant to be, or nothing. */
export function suggestKey(unknown: string): string {
  const sections = CONFIG_KEY_NAMES.map((key) => key.replace(/\.[^.]*$/, ''));
  const known = [...CONFIG_KEY_NAMES, ...new Set(sections)];
  const named = unknown.slice(unknown.lastIndexOf('.') + 1);
  const meant = known.find((key) => key.endsWith(`.${named}`)) ?? nearestName(unknown, known);
  return meant === null
    ? ', expected one of docs/reference/configuration.md'
    : `, expected a known one: did you mean ${meant}?`;
}
