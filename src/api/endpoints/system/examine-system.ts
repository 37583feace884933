import { z } from 'zod';

import { examineInstallation } from '../../../shared/engine/doctor/examine-installation.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { queryInteger } from '../../schemas/query.ts';
import { refuseOthers } from '../tenants/manage-tenants.ts';
import { diagnosisShape, shapeDiagnosis } from './diagnosis-shape.ts';

const LISTED_DEFAULT = 10;
const LISTED_MAX = 50;

export const examineSystem = defineEndpoint({
  name: 'examine-system',
  method: 'GET',
  path: '/system/doctor',
  access: 'operate',
  summary: 'Checks the installation as `svc doctor` does',
  note:
    'For operators of the tenant `default`. Changes nothing. On SQLite, a file above 64 MiB is not ' +
    'searched for damage; `svc doctor` does that.',
  query: z.object({
    limit: queryInteger({
      min: 1,
      fallback: LISTED_DEFAULT,
      clampTo: LISTED_MAX,
      description: 'How many stuck executions are listed.',
    }),
  }),
  replies: { 200: diagnosisShape },
  async handle({ query, caller }, { engine, system }) {
    refuseOthers(caller);
    const diagnosis = await examineInstallation({ ...engine, system }, { limit: query.limit });
    return { status: 200, body: shapeDiagnosis(diagnosis) };
  },
});
