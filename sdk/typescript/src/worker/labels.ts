import { NonRetryableError } from './errors.ts';

/** Names and values to find executions by. */
export type Labels = Readonly<Record<string, string>>;

/** The runtime refuses more labels, and longer names and values. */
const LABELS_MAX = 16;
const LENGTH_MAX = 128;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/;

/** Gathers the labels that code sets; the result carries them. */
export class LabelSet {
  #labels: Labels = {};

  /** @throws NonRetryableError for labels that the runtime refuses: another attempt would set them again */
  readonly set = (labels: Labels): void => {
    checkLabels(labels);
    const together = { ...this.#labels, ...labels };
    checkCount(together);
    this.#labels = together;
  };

  /** The member of the request that carries the result; none if nothing was set. */
  get member(): { readonly labels?: Labels } {
    return Object.keys(this.#labels).length === 0 ? {} : { labels: this.#labels };
  }
}

/**
 * The types do not bind callers in JavaScript.
 *
 * @throws NonRetryableError for labels that the runtime refuses
 */
export function checkLabels(labels: Labels): void {
  for (const [name, value] of Object.entries(labels)) checkLabel(name, value);
  checkCount(labels);
}

function checkCount(labels: Labels): void {
  const count = Object.keys(labels).length;
  if (count <= LABELS_MAX) return;
  throw new NonRetryableError(`an execution has at most ${LABELS_MAX} labels: ${count} are set`);
}

function checkLabel(name: string, value: unknown): void {
  const shown = JSON.stringify(name);
  if (!NAME.test(name)) {
    throw new NonRetryableError(
      `the name of a label has at most ${LENGTH_MAX} letters, digits and characters of _.:/-, and ` +
        `begins with a letter or a digit: ${shown}`,
    );
  }
  if (typeof value !== 'string') {
    throw new NonRetryableError(`the label ${shown} must be text, not ${typeof value}`);
  }
  if (value.length === 0 || value.length > LENGTH_MAX || value.includes('\0')) {
    throw new NonRetryableError(
      `the label ${shown} must have 1 to ${LENGTH_MAX} characters, without U+0000`,
    );
  }
}
