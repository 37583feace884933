import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { idText } from '../../schemas/text.ts';
import { reports, REPORTS_MAX, results, serveReports } from './serve-reports.ts';

export const reportWorkItems = defineEndpoint({
  name: 'report-work-items',
  method: 'POST',
  path: '/work-items/report',
  access: 'work',
  summary: 'Serves several calls of a worker for its items in one request',
  note:
    `Up to ${REPORTS_MAX} calls of the kinds heartbeat, steps, suspend, continue, complete, fail and ` +
    'release. Each has the result that it would have alone, in the order of the reports, and none ' +
    'depends on another: the answer is 200 although some are refused. Calls for one item are served ' +
    'in their order. After a lost answer, send the request again: each call is as safe to repeat as ' +
    'alone. A claim can carry reports, too.',
  body: z.object({ worker_id: idText, reports }),
  replies: { 200: z.object({ results }) },
  async handle(request, deps) {
    return {
      status: 200,
      body: { results: await serveReports(request, deps, request.body.reports) },
    };
  },
});
