import { createProgram } from './cli/create-program.ts';
import { runProgram } from './boot/run-program.ts';

await runProgram(createProgram());
