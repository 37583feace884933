export type ReadLabels =
  | { readonly ok: true; readonly labels: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly problem: string };

/** Labels of a form, one a line, such as `customer=acme`. The service checks names and values. */
export function readLabels(text: string): ReadLabels {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const [name = '', ...rest] = line.split('=');
    if (name.trim() === '' || rest.length === 0) {
      return { ok: false, problem: `Write a label as name=value: ${line}` };
    }
    if (labels.has(name.trim())) return { ok: false, problem: `${name.trim()} is there twice.` };
    labels.set(name.trim(), rest.join('=').trim());
  }
  return { ok: true, labels: Object.fromEntries(labels) };
}
