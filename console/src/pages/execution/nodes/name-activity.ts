import type { Visit } from '../timeline/stretches.ts';

/**
 * The word for work that has begun: the history alone does not say whether a worker has it. Null:
 * nothing else says it either.
 */
export function nameActivity(activity: Visit['stretches'][number]['activity'] | null): string {
  switch (activity) {
    case null:
      return 'under_way';
    case 'queued':
      return 'waiting_for_a_worker';
    case 'working':
      return 'running';
    default:
      return activity;
  }
}
