import { createRoleProgram } from './boot/create-role-program.ts';
import { runProgram } from './boot/run-program.ts';

await runProgram(createRoleProgram('scheduler'));
