import type { CompletedCommand, Value } from './completed-commands.ts';

/** The values after `svc serve --role`, for each option that takes a value. */
export function valuesAfterOptions(
  commands: readonly CompletedCommand[],
): readonly { readonly after: string; readonly value: Value }[] {
  return commands.flatMap(({ line, options }) =>
    options.flatMap(({ names, value }) =>
      value === null ? [] : names.map((name) => ({ after: `${line} ${name}`, value })),
    ),
  );
}

/** Lines of all commands below a program: a word that makes one of them leads on to it. */
export function linesBelow(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.map(({ line }) => line).filter((line) => line.includes(' '));
}

/** A pattern of `case`, of any number of texts. */
export function anyOf(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(' | ');
}

/** For both shells whose strings end at the next single quote. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
