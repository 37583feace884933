import { ApiError } from './api-error.ts';
import { fetchApi } from './client.ts';

const AGAIN_MS = 1_000;

/**
 * Loads a part of the console. While the service is away it waits, so that the page on screen stays.
 * A part that a service which answers no longer has belongs to an older version: that error is thrown.
 */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (!(await isAway())) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      renewStyles();
    }
  }
}

/** The loader of modules asks for each stylesheet once, also when that failed. */
function renewStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    if (!hasRules(link)) link.replaceWith(link.cloneNode());
  }
}

/** The rules of a stylesheet that did not arrive may not be read. */
function hasRules({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet !== null && sheet.cssRules.length > 0;
  } catch {
    return false;
  }
}

async function isAway(): Promise<boolean> {
  try {
    await fetchApi('whoami');
    return false;
  } catch (error) {
    return error instanceof ApiError && (error.status === 0 || error.status === 503);
  }
}
