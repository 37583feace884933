import type { ReplyOf } from '../../api/client.ts';

export type Agent = ReplyOf<'list-agents'>['agents'][number];
export type AgentStatus = Agent['status'];
export type PreviewedCard = ReplyOf<'preview-agent'>['card'];

export const STATUSES = ['registered', 'active', 'paused', 'deactivated'] as const;

/** The status that an address asks for; undefined: any. */
export function readStatus(text: string | undefined): AgentStatus | undefined {
  return STATUSES.find((status) => status === text);
}
