import type { Page } from './pages.ts';

/** A command of svc as a page shows it. */
export interface ShownCommand {
  /** `svc`, `svc-api` or `svc-scheduler`, and its arguments. */
  readonly words: readonly string[];
  readonly at: string;
  /** Prose may name a command without its arguments. */
  readonly isNamed: boolean;
}

const SHELLS = new Set(['sh', 'bash', 'shell', 'console']);
/** At the start, after assignments, or in a container: `kubectl … exec deployment/x -- svc`. */
const PROGRAM = new RegExp(
  String.raw`(?:^(?:\w+=\S* +)*(?:exec +)?|^(?:kubectl|docker) .* exec (?:-T )?\S+ (?:-- )?)` +
    String.raw`(?:node \S*bin\/(?<script>svc(?:-api|-scheduler)?)\.js|(?<name>svc(?:-api|-scheduler)?))(?=\s|$)`,
);
/** A shell function that a script names svc. */
const FUNCTION = /^\s*svc\(\).*$/gm;

/** Every command of svc in the shell blocks of a page, and in the inline code of its prose. */
export function commandsIn({ blocks, prose }: Page): readonly ShownCommand[] {
  const inBlocks = blocks
    .filter(({ language }) => SHELLS.has(language))
    .flatMap(({ text, at }) =>
      simpleCommands(text.replaceAll(FUNCTION, '')).flatMap((command) =>
        commandOf(command, { at, isNamed: false }),
      ),
    );
  const inProse = prose.flatMap(({ text, at }) =>
    [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
      /^(?:[A-Z_]+=\S* )*(?:\$ )?(?:node \S*bin\/)?svc(?:-api|-scheduler)?(?:\.js)?(?: |$)/.test(
        code,
      )
        ? simpleCommands(code).flatMap((command) => commandOf(command, { at, isNamed: true }))
        : [],
    ),
  );
  return [...inBlocks, ...inProse];
}

/**
 * The simple commands of a script: it joins continued lines, removes comments, and splits where one
 * command ends and another begins. Here-documents and quoted bodies are ordinary words.
 */
export function simpleCommands(script: string): readonly string[] {
  const text = script.replaceAll(/\\\n\s*/g, ' ');
  const commands: string[] = [];
  let [command, quote] = ['', ''];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
      command += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      command += character;
    } else if (character === '#' && /(?:^|\s)$/.test(command)) {
      index = text.indexOf('\n', index) - 1;
      if (index < 0) break;
    } else if (/[\n;|&()]/.test(character)) {
      commands.push(command);
      command = '';
    } else {
      command += character;
    }
  }
  return [...commands, command].map((each) => each.trim()).filter((each) => each !== '');
}

function commandOf(
  command: string,
  of: Pick<ShownCommand, 'at' | 'isNamed'>,
): readonly ShownCommand[] {
  const found = PROGRAM.exec(command);
  if (found === null) return [];
  const { script, name = '' } = found.groups ?? {};
  const program = script ?? name;
  const rest = command.slice(found.index + found[0].length);
  return [{ ...of, words: [program, ...wordsOf(rest)] }];
}

/** Splits words like a shell, and leaves out redirections. */
function wordsOf(text: string): readonly string[] {
  const words = [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, one?: string, other?: string) => one ?? other ?? '',
    ),
  );
  const end = words.findIndex((word) => /^\d?[<>]/.test(word));
  return end < 0 ? words : words.slice(0, end);
}
