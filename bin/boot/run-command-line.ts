import { createProgram } from '../cli/create-program.ts';
import { runProgram } from './run-program.ts';

export function runCommandLine(): Promise<void> {
  const [, , command = ''] = process.argv;
  return runProgram(createProgram({ isServing: ['dev', 'serve'].includes(command) }));
}
