import { Option } from 'commander';

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print the result')
    .choices(['table', 'json'])
    .default('table');
}

/** What `eval run` calls it too, where `--output` is a file. */
export function jsonOption(): Option {
  return new Option('--json', 'the same as --output json').implies({ output: 'json' });
}
