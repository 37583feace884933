import type { BrowserContext, Page, Response } from 'playwright-core';

/** An answer is a page of a list or a part of the console, never everything at once. */
const ANSWER_BYTES_MAX = 1_048_576;
/** The browser's own note of an answer with an error status. Stories see those in the page. */
const REFUSED = /^Failed to load resource: /;

/**
 * Collects what no story may cause: errors in the console, violations of the content security
 * policy, requests to another origin, and answers larger than 1 MiB.
 */
export function watchPages(context: BrowserContext, origin: string): PageWatch {
  const origins = new Set([origin]);
  const faults: string[] = [];
  const measured: Promise<void>[] = [];
  const watch = (page: Page) => {
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      // A violation of the policy is an error of the console too.
      if (message.type() !== 'error' || REFUSED.test(message.text())) return;
      faults.push(`console: ${message.text()}`);
    });
  };
  context.on('page', watch);
  context.on('request', (request) => {
    const url = new URL(request.url());
    const isLocal = url.protocol === 'data:' || url.protocol === 'blob:';
    if (!isLocal && !origins.has(url.origin)) faults.push(`request to ${url.origin}`);
  });
  context.on('response', (response) => {
    measured.push(measure(response).then((fault) => void (fault !== null && faults.push(fault))));
  });
  return {
    allow: (address) => void origins.add(new URL(address).origin),
    async faults() {
      await Promise.all(measured);
      return faults;
    },
  };
}

export interface PageWatch {
  /** Another address of the service. */
  allow(address: string): void;
  faults(): Promise<readonly string[]>;
}

/** By its head: a stream's body never ends, and a download's is not for the page. */
async function measure(response: Response): Promise<string | null> {
  const length = await response.headerValue('Content-Length').catch(() => null);
  const bytes = Number(length ?? 0);
  if (bytes <= ANSWER_BYTES_MAX) return null;
  return `answer of ${bytes} bytes from ${new URL(response.url()).pathname}`;
}
