import { Role, type Part, type SendMessageRequest } from '@a2a-js/sdk';

import type { AgentMessage } from '../../domain/a2a/agent-task.ts';

/** A message as the SDK sends it, in either version. */
export function shapeMessage(message: AgentMessage): SendMessageRequest {
  const { messageId, content, skill, task } = message;
  const parts: Part[] = [];
  const rest = { metadata: undefined, filename: '' };
  if (content.text !== undefined) {
    const text = { $case: 'text', value: content.text } as const;
    parts.push({ content: text, ...rest, mediaType: 'text/plain' });
  }
  if (content.data !== undefined) {
    const data = { $case: 'data', value: content.data } as const;
    parts.push({ content: data, ...rest, mediaType: 'application/json' });
  }
  // The protocol has no field for it; agents that look for it look here.
  const metadata = skill === null ? undefined : { skill };
  return {
    tenant: '',
    message: {
      messageId,
      contextId: task?.contextId ?? '',
      taskId: task?.taskId ?? '',
      role: Role.ROLE_USER,
      parts,
      metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: ['text/plain', 'application/json'],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    },
    metadata,
  };
}
