import type { Page } from 'playwright-core';

/**
 * Finds what a reader of a small or enlarged page cannot reach: a page that scrolls sideways, a control
 * beyond its edge, and text that is cut without a mark. Tables may scroll inside themselves.
 */
export function findCutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(${SEARCH})()`);
}

/** As text, because the page's globals have no types here. */
const SEARCH = String.raw`() => {
  const found = [];
  const describe = (element) =>
    element.tagName.toLowerCase() + ' "' +
    (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60) + '"';
  const isShown = (element) =>
    element.checkVisibility({ checkVisibilityCSS: true }) &&
    element.closest('[aria-hidden="true"], .visually-hidden') === null;
  const scrollsInside = (element) => {
    for (let at = element.parentElement; at !== null && at.tagName !== 'MAIN'; at = at.parentElement) {
      if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX)) return true;
      if (at.matches('.react-flow')) return true;
    }
    return false;
  };
  const isSkipLink = (element) => element.getBoundingClientRect().right <= 0;
  for (const element of [document.documentElement, document.querySelector('main')]) {
    if (element !== null && element.scrollWidth > element.clientWidth) {
      found.push(element.tagName.toLowerCase() + ' scrolls sideways: ' + element.scrollWidth +
        ' of ' + element.clientWidth);
    }
  }
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  for (const element of document.querySelectorAll(controls)) {
    if (!isShown(element) || scrollsInside(element) || isSkipLink(element)) continue;
    const { left, right } = element.getBoundingClientRect();
    if (left < -0.5 || right > innerWidth + 0.5) found.push(describe(element) + ' is beyond the edge');
  }
  for (const element of document.querySelectorAll('main *')) {
    const { overflowX, textOverflow } = getComputedStyle(element);
    if (!['hidden', 'clip'].includes(overflowX) || textOverflow === 'ellipsis') continue;
    if (!isShown(element) || element.closest('.react-flow') !== null) continue;
    if (element.scrollWidth > element.clientWidth + 1) found.push(describe(element) + ' is cut off');
  }
  return found;
}`;
