import { runProgram } from './run-program.ts';

export async function runCommandLine(): Promise<void> {
  const [, , command = ''] = process.argv;
  if (['dev', 'serve'].includes(command)) {
    const { createServingProgram } = await import('../cli/create-serving-program.ts');
    return runProgram(createServingProgram());
  }
  const { createProgram } = await import('../cli/create-program.ts');
  return runProgram(createProgram());
}
