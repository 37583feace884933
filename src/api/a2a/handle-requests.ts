import type { AgentCard, Message, SendMessageRequest, Task } from '@a2a-js/sdk';
import {
  A2AError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';

import { SvcError } from '../../shared/domain/errors.ts';
import { isTerminal } from '../../shared/domain/execution/status.ts';
import type { AgentTasks, IncomingMessage } from './agent-tasks.ts';
import { checkHistoryLength, checkMessage } from './check-parameters.ts';
import { listTasks } from './list-tasks.ts';
import { followTask, untilResting, type Following } from './follow-task.ts';
import { readMessage } from './read-message.ts';
import { contextOf, type ShapeTasks, type TaskView } from './shape-task.ts';

/** The longest wait of a request for a result; the answer is then the task's present state. */
const BLOCKING_MS_MAX = 60_000;

/**
 * The operations of the protocol for one request of any version, which the SDK has translated. An
 * error with status 400 becomes an error of the protocol; others are thrown again and set the HTTP
 * status.
 */
export function handleRequests(params: {
  readonly card: AgentCard;
  readonly tasks: AgentTasks;
  readonly following: Omit<Following, 'read' | 'shape'>;
  readonly shape: ShapeTasks;
  /** Media types of the files that the agent takes. */
  readonly inputModes: readonly string[];
  /** Given what is no error of the protocol, since the SDK would tell the client all about it. */
  readonly onFailure: (error: unknown) => void;
}): A2ARequestHandler {
  const { card, tasks, shape, onFailure } = params;
  const following: Following = { ...params.following, shape, read: (id) => tasks.read(id) };

  async function answering<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      const refusal = asRefusal(error);
      if (!(refusal instanceof A2AError)) onFailure(error);
      throw refusal;
    }
  }

  /** The SDK hands on what a client of 0.3 sent in place of an id, or that there was none. */
  async function find(taskId: unknown): Promise<TaskView> {
    if (typeof taskId !== 'string') throw new RequestMalformedError('id must be a string');
    const view = taskId === '' ? null : await tasks.read(taskId);
    if (view === null) throw new TaskNotFoundError(`Task not found: ${taskId}`);
    return view;
  }

  async function send({ message, configuration }: SendMessageRequest): Promise<TaskView> {
    checkMessage(message, params.inputModes);
    checkHistoryLength(configuration?.historyLength);
    const incoming = readIncoming(message);
    if (message.taskId === '') return tasks.start(incoming);
    const view = await find(message.taskId);
    if (incoming.contextId !== '' && incoming.contextId !== contextOf(view)) {
      throw new RequestMalformedError(`the task's context is ${contextOf(view)}`);
    }
    return tasks.deliver(view, incoming);
  }

  return {
    getAgentCard: async () => card,

    sendMessage: (request) =>
      answering(async (): Promise<Task> => {
        const view = await send(request);
        const { returnImmediately = false, historyLength } = request.configuration ?? {};
        const timeout = AbortSignal.timeout(BLOCKING_MS_MAX);
        const signal = AbortSignal.any([following.signal, timeout]);
        const settled = returnImmediately
          ? view
          : await untilResting({ ...following, signal }, view);
        return shape.task(settled, { historyLength });
      }),

    async *sendMessageStream(request) {
      yield* followTask(following, await answering(() => send(request)));
    },

    getTask: ({ id, historyLength }) =>
      answering(async () => {
        checkHistoryLength(historyLength);
        return shape.task(await find(id), { historyLength });
      }),

    cancelTask: ({ id }) =>
      answering(async () => {
        const view = await find(id);
        try {
          return shape.task(await tasks.cancel(view));
        } catch (error) {
          if (error instanceof SvcError && error.code === 'bad_request') {
            throw new TaskNotCancelableError(error.message);
          }
          throw error;
        }
      }),

    async *resubscribe({ id }) {
      const view = await find(id);
      if (isTerminal(view.row.status)) {
        throw new UnsupportedOperationError(`task ${id} is ${view.row.status}`);
      }
      yield* followTask(following, view);
    },

    listTasks: (request) => answering(() => listTasks(request, { tasks, shape })),
    getAuthenticatedExtendedAgentCard: () => refuse(new ExtendedAgentCardNotConfiguredError()),
    createTaskPushNotificationConfig: () => refuse(new PushNotificationNotSupportedError()),
    getTaskPushNotificationConfig: () => refuse(new PushNotificationNotSupportedError()),
    listTaskPushNotificationConfigs: () => refuse(new PushNotificationNotSupportedError()),
    deleteTaskPushNotificationConfig: () => refuse(new PushNotificationNotSupportedError()),
  };
}

function readIncoming(message: Message): IncomingMessage {
  const { messageId, contextId, metadata } = message;
  return {
    messageId,
    contextId,
    metadata: metadata ?? {},
    input: readMessage(message),
  };
}

async function refuse(error: Error): Promise<never> {
  throw error;
}

/** Translates the API's errors about the request; others stay unchanged. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof SvcError)) return error;
  const isAboutRequest = error.code === 'bad_request' || error.code === 'conflict';
  return isAboutRequest ? new RequestMalformedError(error.message) : error;
}
