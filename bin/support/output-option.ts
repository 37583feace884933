import { Option } from 'commander';

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print the result')
    .choices(['table', 'json'])
    .default('table');
}
