import { createClient, createWorker } from 'svc-sdk';

import { bookTrip } from './book-trip/book-trip.ts';
import { everyNight, nightlyInvoices } from './nightly-invoices/nightly-invoices.ts';
import { supportAgent } from './support-agent/support-agent.ts';

const { SVC_URL: url = 'http://127.0.0.1:7700' } = process.env;
const { schedules, workflows } = createClient({ url });
await workflows.register(nightlyInvoices.toIR());
await schedules.create({ name: 'nightly', workflow_id: nightlyInvoices.name, ...everyNight });
await createWorker({ url, functions: [bookTrip, supportAgent, nightlyInvoices] }).run();
