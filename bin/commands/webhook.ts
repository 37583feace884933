import { connectManagement, type ClientOptions } from '../cli/client.ts';
import { CliError, EXIT } from '../cli/exit-code.ts';
import { printFields, printJson, printLine, printNote } from '../cli/output.ts';
import { printPages, type PageOptions } from '../cli/lists/pages.ts';
import { printList } from '../cli/lists/print-list.ts';
import { printTable } from '../cli/print-table.ts';

export async function listWebhooks(options: ClientOptions): Promise<void> {
  const answer = await connectManagement(options).listWebhooks();
  if (options.output === 'json') return printJson(answer);
  printList({
    member: 'webhooks',
    head: ['WEBHOOK', 'ADDRESS', 'STATUS', 'EVENTS', 'CREATED'],
    rows: answer.webhooks.map((webhook) => [
      webhook.webhook_id,
      webhook.url,
      webhook.status,
      webhook.event_types?.join(', ') ?? 'all',
      webhook.created_at,
    ]),
  });
}

export async function showWebhook(webhookId: string, options: ClientOptions): Promise<void> {
  const { webhooks } = await connectManagement(options).listWebhooks();
  const webhook = webhooks.find((one) => one.webhook_id === webhookId);
  if (webhook === undefined) {
    throw new CliError(`not found: webhook ${webhookId}: see svc webhook list`, {
      exitCode: EXIT.notFound,
    });
  }
  if (options.output === 'json') printJson(webhook);
  else printFields({ ...webhook });
}

export async function createWebhook(
  url: string,
  options: ClientOptions & { readonly event?: readonly string[] },
): Promise<void> {
  const types = options.event === undefined ? {} : { event_types: [...options.event] };
  const created = await connectManagement(options).createWebhook({ url, ...types });
  if (options.output === 'json') return printJson(created);
  printNote(`created webhook ${created.webhook_id}; nobody can show its secret again:`);
  printLine(created.secret);
}

export async function deleteWebhook(webhookId: string, options: ClientOptions): Promise<void> {
  const deleted = await connectManagement(options).deleteWebhook(webhookId);
  if (options.output === 'json') printJson(deleted);
  else printLine(`deleted the webhook to ${deleted.url}`);
}

export async function listDeliveries(
  webhookId: string,
  options: ClientOptions & PageOptions,
): Promise<void> {
  const client = connectManagement(options);
  await printPages(options, {
    read: (page) => client.listDeliveries(webhookId, page),
    member: 'deliveries',
    print: ({ deliveries }) =>
      printTable({
        head: ['MESSAGE', 'EVENT', 'EXECUTION', 'STATUS', 'ATTEMPTS', 'NEXT', 'LAST ANSWER'],
        rows: deliveries.map((delivery) => [
          delivery.id,
          delivery.event_type,
          delivery.execution_id,
          delivery.status,
          delivery.attempts,
          delivery.next_attempt_at,
          delivery.last_error ?? delivery.last_status,
        ]),
      }),
  });
}

export async function redeliver(
  webhookId: string,
  messageId: string,
  options: ClientOptions,
): Promise<void> {
  const answer = await connectManagement(options).redeliver(webhookId, messageId);
  if (options.output === 'json') printJson(answer);
  else printLine(`${answer.id} is sent again`);
}
