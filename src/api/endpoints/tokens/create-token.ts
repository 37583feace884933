import { z } from 'zod';

import { ROLES } from '../../../shared/domain/access.ts';
import { createToken as create } from '../../../shared/engine/tokens/create-token.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { omittable } from '../../schemas/text.ts';
import { shapeToken, tokenShape } from './token-shape.ts';

const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._@ -]{0,127}$/;
/** A hundred years: keeps the instant of expiry within what both stores can count. */
const EXPIRY_SECONDS_MAX = 100 * 366 * 24 * 3600;

export const createToken = defineEndpoint({
  name: 'create-token',
  method: 'POST',
  path: '/tokens',
  access: 'operate',
  summary: 'Creates a token',
  note: 'Only this answer ever shows `token`: the service keeps its hash.',
  body: z.strictObject({
    name: z
      .string()
      .regex(NAME_PATTERN, 'must be 1 to 128 letters, digits, dots, dashes, underscores or spaces')
      .meta({ description: 'Shown in events and the audit log as `token:<name>`.' }),
    role: z.enum(ROLES),
    expires_in_seconds: omittable(
      z.int().min(1, 'must be at least 1').max(EXPIRY_SECONDS_MAX, 'must be at most 100 years'),
    ).meta({ description: 'Default: never expires.' }),
  }),
  replies: { 201: tokenShape.extend({ token: z.string() }) },
  async handle({ body, caller }, { engine }) {
    const { row, plaintext } = await create(engine, caller, {
      name: body.name,
      role: body.role,
      expiresInMs: body.expires_in_seconds === null ? null : body.expires_in_seconds * 1000,
    });
    return { status: 201, body: { ...shapeToken(row), token: plaintext } };
  },
});
