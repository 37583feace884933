import type { ExpectedFailures } from '../judge.ts';

/** Scenarios for features that the server neither has nor announces. */
export const LEFT_OUT: readonly { readonly scenarios: RegExp; readonly reason: string }[] = [
  {
    scenarios: /^(prompts|resources|completion|sep-2164|sep-2640)-/,
    reason: 'The server has tools alone: no prompts, no resources and so nothing to complete.',
  },
  {
    scenarios: /^(logging-|tools-call-with-logging)/,
    reason: 'The server logs to its operator, not to its clients.',
  },
  {
    scenarios: /^(tools-call-sampling|tools-call-elicitation|elicitation-|input-required-)/,
    reason: 'No tool asks its client for anything.',
  },
  {
    scenarios: /^(json-schema-2020-12|http-custom-header)/,
    reason:
      'They need a tool with a schema of the kit; the schemas of our tools have tests of their own.',
  },
  {
    scenarios: /^tasks-/,
    reason: 'The extension for tasks is not spoken: an execution is the task.',
  },
];

const NO_PROMPTS = 'The server has neither prompts nor resources whose lists could be kept.';
const NO_REQUESTS =
  'It needs a tool that asks its client for something; no tool of the service does.';

export const EXPECTED_FAILURES: ExpectedFailures = {
  'caching: sep-2549-prompts-list-caching-hints in 2026-07-28': NO_PROMPTS,
  'caching: sep-2549-resources-list-caching-hints in 2026-07-28': NO_PROMPTS,
  'caching: sep-2549-resources-templates-list-caching-hints in 2026-07-28': NO_PROMPTS,
  'server-stateless: sep-2575-server-rejects-undeclared-capability in 2026-07-28': NO_REQUESTS,
  'server-stateless: sep-2575-missing-capability-http-400 in 2026-07-28': NO_REQUESTS,
};
