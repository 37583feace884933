import { runContract } from './suite.ts';

runContract('postgres');
