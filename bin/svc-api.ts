import { createRoleProgram } from './support/create-role-program.ts';
import { runProgram } from './support/run-program.ts';

await runProgram(createRoleProgram('api'));
