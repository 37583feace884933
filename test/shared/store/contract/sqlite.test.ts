import { runContract } from './suite.ts';

runContract('sqlite');
