import { createProgram } from './support/create-program.ts';
import { runProgram } from './support/run-program.ts';

await runProgram(createProgram());
