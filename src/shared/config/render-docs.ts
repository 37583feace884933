import type { KeyRow } from './key-row.ts';
import type { ConfigKey } from './keys.ts';
import { CONFIG_KEY_NAMES, ownEnvNames, rowOf } from './keys.ts';
import { OTHER_VARIABLES } from './other-variables.ts';
import { describeType } from './read-value.ts';

/** The text of `docs/reference/configuration.md`, rendered from the table of keys. */
export function renderConfigDocs(): string {
  const sections = [...new Set(CONFIG_KEY_NAMES.map(sectionOf))];
  return [INTRODUCTION, ...sections.map(renderSection), renderOtherVariables()].join('\n');
}

const INTRODUCTION = `# Configuration

This page is generated from the table of keys in \`src/shared/config/keys.ts\`; run
\`node bin/cli/generate-docs.ts\` after changing it.

A value is taken from the first of these that gives one:

1. the command line,
2. the environment,
3. the TOML file named by \`--config\`, else \`svc.toml\` in the working directory,
4. the default.

\`svc config show --origin\` prints every value with where it came from, secrets masked. An unknown
key, or a value that is not as this page says, stops the start with exit code 2 and one line for each
problem.

In the file a key \`section.key\` is \`key\` in the table \`[section]\`. In the environment it is
\`SVC_<SECTION>_<KEY>\`; an empty variable counts as unset. Where several variables starting with
\`SVC_\` are one setting, they must not differ. Variables in brackets are read when none of the others
is set.
`;

const PROVIDER_VARIABLES = [
  ['`<PROVIDER>_API_KEY`', 'Key of a further model provider that speaks the protocol of OpenAI.'],
  ['`<PROVIDER>_BASE_URL`', 'Its base URL: what makes it a provider; see `docs/guides/models.md`.'],
];

function renderOtherVariables(): string {
  const documented = Object.entries(OTHER_VARIABLES).flatMap(([name, meaning]) =>
    meaning === null ? [] : [[`\`${name}\``, meaning]],
  );
  return `## Other environment variables

${renderTable(['Variable', 'Meaning'], [...PROVIDER_VARIABLES, ...documented])}
A workflow names further variables for the secrets of its MCP servers and remote agents.

A variable \`SVC_…\` that no part of svc reads is probably misspelt. The service logs one warning about it at its start,
and \`svc\` writes it to stderr, with the known name that is nearest. A command without \`--config\` writes it only
where a known name is near, because another variable may be a secret that the configuration of the service allows.
`;
}

function sectionOf(key: ConfigKey): string {
  return key.split('.')[0] ?? key;
}

function renderSection(section: string): string {
  const rows = CONFIG_KEY_NAMES.filter((key) => sectionOf(key) === section).map((key) => {
    const row = rowOf(key);
    return [
      `\`${key}\``,
      row.meaning,
      describeValues(row),
      describeDefault(row),
      describeNames(key, row),
    ];
  });
  return `## ${section}\n\n${renderTable(['Key', 'Meaning', 'Value', 'Default', 'Set by'], rows)}`;
}

function describeValues(row: KeyRow): string {
  const unit = row.unit === undefined ? '' : `, in ${row.unit}`;
  return `${describeType(row)}${unit}`;
}

function describeDefault(row: KeyRow): string {
  if (row.default === null) return row.defaultMeaning ?? 'none';
  if (typeof row.default === 'object') {
    return row.default.map((item) => `\`${item}\``).join(', ') || 'none';
  }
  const unit = row.unit === undefined ? '' : ` ${row.unit}`;
  const value = `\`${row.default}\`${unit}`;
  return 'devDefault' in row && row.devDefault !== undefined
    ? `${value}; \`${row.devDefault}\` for \`svc dev\``
    : value;
}

function describeNames(key: ConfigKey, row: KeyRow): string {
  return [
    ...(row.flag === undefined ? [] : [`\`${row.flag}\``]),
    ...ownEnvNames(key).map((name) => `\`${name}\``),
    ...(row.fallbackEnv ?? []).map((name) => `(\`${name}\`)`),
  ].join(', ');
}

/** A Markdown table with its columns aligned, the way the formatter of this tree leaves it. */
function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}
