import { chosenTenant } from '../../api/chosen-tenant.ts';
import { isRecord, readJson } from './read-input-fields.ts';

type Input = Readonly<Record<string, unknown>>;

const KEPT_MAX = 5;
const CHARS_MAX = 20_000;

/** The inputs that this browser started the workflow with last, the latest first. */
export function readLastInputs(workflowId: string): readonly Input[] {
  const read = readJson(localStorage.getItem(keyOf(workflowId)) ?? '[]');
  return 'value' in read && Array.isArray(read.value) ? read.value.filter(isRecord) : [];
}

export function keepInput(workflowId: string, input: Input): void {
  const text = JSON.stringify(input);
  if (text.length > CHARS_MAX) return;
  const others = readLastInputs(workflowId).filter((other) => JSON.stringify(other) !== text);
  try {
    const kept = JSON.stringify([input, ...others].slice(0, KEPT_MAX));
    localStorage.setItem(keyOf(workflowId), kept);
  } catch {
    // The storage is full: the input is not offered again.
  }
}

function keyOf(workflowId: string): string {
  return `svc.inputs.${chosenTenant() ?? ''}.${workflowId}`;
}
