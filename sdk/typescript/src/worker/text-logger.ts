import { createJsonLogger, type Logger } from './logger.ts';

/** On a terminal lines of text, for the people there; elsewhere JSON, for programs. */
export function createDefaultLogger(): Logger {
  return process.stderr.isTTY ? createTextLogger() : createJsonLogger();
}

/**
 * Writes each message as a line such as `12:45:16.795 warn  the step failed  step=charge`, with the time
 * in UTC. A stack follows on lines of its own.
 */
export function createTextLogger(
  options: { readonly write?: (text: string) => void } = {},
): Logger {
  const { write = (text: string) => void process.stderr.write(text) } = options;
  return createJsonLogger({ write: (line) => write(toText(line)) });
}

function toText(line: string): string {
  const { time, level, message, stack, ...fields } = JSON.parse(line) as Fields;
  const shown = Object.entries(fields).map(([name, value]) => ` ${name}=${show(value)}`);
  const head = `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${readable(String(message))}`;
  const facts = shown.length === 0 ? '' : ` ${shown.join('')}`;
  const trace = typeof stack === 'string' ? `${readable(stack)}\n` : '';
  return `${head}${facts}\n${trace}`;
}

type Fields = Readonly<Record<string, unknown>>;

/** A word as it is, and everything else as JSON. */
function show(value: unknown): string {
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value;
  return readable(JSON.stringify(value));
}

/** Control characters must not move the cursor of a terminal. */
function readable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
