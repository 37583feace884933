import { idParam } from '../../schemas/params.ts';

export const agentParam = idParam('Agent id, percent-encoded.');
