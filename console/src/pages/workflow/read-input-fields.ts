/** One member of an execution's input, as a form asks for it. */
export interface InputField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  readonly isRequired: boolean;
  readonly hint: string | null;
  readonly choices: readonly string[];
}

/**
 * The fields of a `state_schema`. Null: the schema names no members, so the input is written as JSON.
 * The service checks the whole schema; the form only asks for the right kind of value.
 */
export function readInputFields(schema: unknown): readonly InputField[] | null {
  const { properties, required } = recordOf(schema);
  const entries = Object.entries(recordOf(properties));
  if (entries.length === 0) return null;
  const names = Array.isArray(required) ? required : [];
  return entries.map(([name, raw]) => {
    const field = recordOf(raw);
    const choices = listOfTexts(field['enum']);
    return {
      name,
      kind: choices.length > 0 ? 'choice' : kindOf(field['type']),
      isRequired: names.includes(name),
      hint: typeof field['description'] === 'string' ? field['description'] : null,
      choices,
    };
  });
}

/** Input texts of a form, by field; a text that is empty stands for a member that is left out. */
export type InputTexts = Readonly<Record<string, string>>;

export type ReadInput =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: InputTexts };

/** The input that the texts stand for, or the problem of each field. */
export function readInput(fields: readonly InputField[], texts: InputTexts): ReadInput {
  const input: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = texts[field.name] ?? '';
    if (text === '') {
      if (field.isRequired) problems[field.name] = 'This is required.';
      continue;
    }
    const read = readValue(field, text);
    if ('problem' in read) problems[field.name] = read.problem;
    else input[field.name] = read.value;
  }
  return Object.keys(problems).length === 0 ? { ok: true, input } : { ok: false, problems };
}

/** The texts of a form that stand for an input. */
export function writeInput(
  fields: readonly InputField[],
  input: Readonly<Record<string, unknown>>,
): InputTexts {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = input[name];
      if (value === undefined) return [];
      return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    }),
  );
}

function readValue(
  { kind }: InputField,
  text: string,
): { readonly value: unknown } | { readonly problem: string } {
  switch (kind) {
    case 'text':
    case 'choice':
      return { value: text };
    case 'boolean':
      return { value: text === 'true' };
    case 'number':
    case 'integer': {
      const value = Number(text);
      if (!Number.isFinite(value) || text.trim() === '') return { problem: 'Write a number.' };
      if (kind === 'integer' && !Number.isInteger(value)) {
        return { problem: 'Write a whole number.' };
      }
      return { value };
    }
    case 'json':
      return readJson(text);
  }
}

/** A JSON value, or why the text is none. */
export function readJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : ''}` };
  }
}

function kindOf(type: unknown): InputField['kind'] {
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
    case 'boolean':
      return type;
    default:
      return 'json';
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOfTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
