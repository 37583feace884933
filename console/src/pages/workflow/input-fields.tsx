import { SelectField, TextArea, TextField } from '../../ui/controls/field.tsx';
import type { InputField, InputTexts } from './read-input-fields.ts';

/** The fields of a form for an input. */
export function InputFields({
  fields,
  texts,
  problems,
  onChange,
}: {
  readonly fields: readonly InputField[];
  readonly texts: InputTexts;
  readonly problems: InputTexts;
  readonly onChange: (name: string, text: string) => void;
}) {
  return fields.map((field) => (
    <OneField
      key={field.name}
      field={field}
      text={texts[field.name] ?? ''}
      problem={problems[field.name] ?? null}
      onChange={(text) => onChange(field.name, text)}
    />
  ));
}

function OneField({
  field,
  text,
  problem,
  onChange,
}: {
  readonly field: InputField;
  readonly text: string;
  readonly problem: string | null;
  readonly onChange: (text: string) => void;
}) {
  const { name, kind, isRequired, hint, choices } = field;
  const shared = {
    label: isRequired ? `${name} (required)` : name,
    hint,
    problem,
    value: text,
  };
  switch (kind) {
    case 'choice':
    case 'boolean':
      return (
        <SelectField
          {...shared}
          onChange={(event) => onChange(event.target.value)}
          options={[
            { value: '', label: '–' },
            ...(kind === 'boolean' ? ['true', 'false'] : choices).map((value) => ({
              value,
              label: value,
            })),
          ]}
        />
      );
    case 'json':
      return (
        <TextArea
          {...shared}
          hint={hint ?? 'As JSON.'}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'text':
    case 'number':
    case 'integer':
      return (
        <TextField
          {...shared}
          inputMode={kind === 'text' ? 'text' : 'decimal'}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}
