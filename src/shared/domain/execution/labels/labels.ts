import { isJsonObject } from '../../json.ts';

/** Names and values to find executions by. */
export type Labels = Readonly<Record<string, string>>;

export const NO_LABELS: Labels = {};

/** The most labels of one execution. */
export const LABELS_MAX = 16;
/** Bound of a name and of a value, in UTF-16 code units. */
export const LABEL_LENGTH_MAX = 128;
/** Such a name is one word of a query. */
export const LABEL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/;
export const LABEL_NAME_RULE =
  `is no name of a label: it has at most ${LABEL_LENGTH_MAX} letters, digits and characters of _.:/-, ` +
  'and begins with a letter or a digit';

/** Says what to do about too many labels; a refusal names the field before it. */
export function tellTooMany(count: number): string {
  return `are ${count}, and an execution has at most ${LABELS_MAX} labels: leave out ${count - LABELS_MAX}`;
}

/** Whether an execution with these labels can have the others, too. */
export function haveRoom(labels: Labels, added: Labels): boolean {
  return Object.keys({ ...labels, ...added }).length <= LABELS_MAX;
}

/** Those of them that an execution with these labels takes, in their order: each that it has room for. */
export function takeLabels(labels: Labels, given: readonly Labels[]): Labels {
  let taken = NO_LABELS;
  for (const added of given) {
    if (haveRoom({ ...labels, ...taken }, added)) taken = { ...taken, ...added };
  }
  return taken;
}

export function isLabels(value: unknown): value is Labels {
  return (
    isJsonObject(value) &&
    Object.keys(value).length <= LABELS_MAX &&
    Object.entries(value).every(([name, text]) => LABEL_NAME.test(name) && isLabelValue(text))
  );
}

function isLabelValue(value: unknown): boolean {
  if (typeof value !== 'string' || value.includes('\0')) return false;
  return value.length > 0 && value.length <= LABEL_LENGTH_MAX;
}

export function hasLabels(labels: Labels): boolean {
  for (const _ in labels) return true;
  return false;
}
