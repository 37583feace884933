import { WorkerRefusedError } from './errors.ts';
import { reasonIn, type Answer, type Api } from './send.ts';

/** Says what to do about an answer that no repetition changes. */
export function refusal(answer: Answer, api: Api): WorkerRefusedError {
  return new WorkerRefusedError(answer.status, explain(answer, api));
}

function explain(answer: Answer, { url, hasToken, tenant }: Api): string {
  const { status } = answer;
  if (isForeign(answer)) {
    return `what answers at ${url} is not svc (status ${status}); check the address and the port`;
  }
  const reason = reasonIn(answer);
  const said = `${url} refuses the worker (${status}): ${reason}`;
  switch (status) {
    case 401:
      return `${said}. ${hasToken ? TOKEN_REFUSED : TOKEN_MISSING}`;
    case 403:
      return reason.startsWith('tenant ') ? said : `${said}. ${adviseOnRole(reason, tenant)}`;
    case 404:
      return `${said}. Create it with "svc tenant create", or correct createWorker({ tenantId })`;
    default:
      return said;
  }
}

function adviseOnRole(reason: string, tenant: string | null): string {
  if (tenant === null || !reason.includes('tenant default')) return ROLE_NEEDED;
  return `Leave createWorker({ tenantId }) out, or pass a token of the tenant ${tenant}`;
}

const ROLE_NEEDED =
  'A worker needs a token with the role worker, developer or operator. Make one with "svc token create --name NAME --role worker"';
const TOKEN_REFUSED =
  'The token may be revoked, expired, or of another runtime. Make one with "svc token create --name NAME --role worker"';
const TOKEN_MISSING =
  'No token was sent; pass createWorker({ token }) or set SVC_TOKEN. Make one with "svc token create --name NAME --role worker"';

/** A claim and a registration find no tenant at most; svc says what it refuses. */
function isForeign({ status, body }: Answer): boolean {
  const { error, reason } = body;
  if (status === 404) return typeof error !== 'string' || !error.startsWith('not found: tenant ');
  return typeof error !== 'string' && typeof reason !== 'string';
}
