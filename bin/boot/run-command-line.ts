import { createProgram } from '../cli/create-program.ts';
import { runProgram } from './run-program.ts';

export const runCommandLine = (): Promise<void> => runProgram(createProgram());
