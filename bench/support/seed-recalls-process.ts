import { seedRecalls, type SeedingOfRecalls } from './recall-facts.ts';

/* node seed-recalls-process.ts <parameters as JSON>: fills the tables, prints the expected facts. */

const params = JSON.parse(process.argv[2] ?? '') as SeedingOfRecalls;
process.stdout.write(JSON.stringify(await seedRecalls(params)));
