import { z } from 'zod';

import { readSystem as read } from '../../../shared/engine/system/read-system.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { timestamp } from '../../schemas/text.ts';
import { refuseOthers } from '../tenants/manage-tenants.ts';

export const readSystem = defineEndpoint({
  name: 'read-system',
  method: 'GET',
  path: '/system',
  access: 'operate',
  summary: 'Reads which processes run, and on which database',
  note: 'For operators of the tenant `default`.',
  replies: {
    200: z.object({
      version: z.string().meta({ description: 'The version of the process that answers.' }),
      processes: z
        .array(
          z.object({
            process_id: z.string(),
            role: z.string(),
            version: z.string(),
            host: z.string(),
            started_at: timestamp,
            last_heartbeat: timestamp,
            active_items: z.int(),
          }),
        )
        .meta({ description: 'Those seen in the last 60 seconds.' }),
      active_items_are_exact: z.boolean().meta({
        description: 'False: more is at work than was counted; `active_items` is a lower bound.',
      }),
      store: z.object({
        kind: z.enum(['postgres', 'sqlite']),
        version: z.string(),
        bytes: z.int(),
        migration: z.int().meta({ description: 'The last migration that was applied.' }),
        known_migration: z.int().meta({ description: 'The last that this program knows.' }),
        pending_migrations: z.array(z.object({ number: z.int(), title: z.string() })),
        sessions: z
          .array(
            z.object({
              pid: z.int(),
              application: z.string(),
              shards: z.int(),
              duties: z.int(),
              migrating: z.boolean(),
            }),
          )
          .meta({ description: 'PostgreSQL: sessions that hold locks of shards and duties.' }),
      }),
      shards: z
        .object({ total: z.int(), held: z.int() })
        .nullable()
        .meta({ description: 'Null on SQLite, where one process has all.' }),
    }),
  },
  async handle({ caller }, { engine, system, version }) {
    refuseOthers(caller);
    const reading = await read({ ...engine, system }, caller);
    const { processes, areItemsExact, database, migrations, shards } = reading;
    return {
      status: 200,
      body: {
        version,
        processes: processes.map((process) => ({
          process_id: process.workerId,
          role: process.role ?? '',
          version: process.version,
          host: process.host,
          started_at: process.startedAt,
          last_heartbeat: process.lastHeartbeat,
          active_items: process.activeItems,
        })),
        active_items_are_exact: areItemsExact,
        store: {
          kind: database.dialect,
          version: database.version,
          bytes: database.bytes,
          migration: migrations.current,
          known_migration: migrations.latest,
          pending_migrations: migrations.pending.map(({ number, title }) => ({ number, title })),
          sessions: database.lockHolders.map((holder) => ({
            pid: holder.pid,
            application: holder.applicationName,
            shards: holder.shards,
            duties: holder.duties,
            migrating: holder.isMigrating,
          })),
        },
        shards,
      },
    };
  },
});
