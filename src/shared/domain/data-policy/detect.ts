import type { Detector } from './data-policy.ts';

/*
 * Each expression is linear: bounded repetitions of disjoint classes, nothing nested, so what it
 * finds is no longer than its bounds allow (640 characters at most). It is only taken for what it looks like when the check digits agree.
 */
const PATTERNS: Readonly<Record<Detector, RegExp>> = {
  email: /[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g,
  credit_card: /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])/g,
  ssn: /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g,
  ip_address:
    /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])|(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])/gi,
  phone:
    /(?<![\w.+-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,8}){1,4}(?![\w-])|(?<![\w.+-])\+\d{8,15}(?!\w)/g,
};

/** Narrow ones first: a card's number would also pass for a phone's. */
const ORDER: readonly Detector[] = ['email', 'iban', 'credit_card', 'ssn', 'ip_address', 'phone'];

/** The text with everything that the detectors find replaced. */
export function replaceDetected(
  text: string,
  detectors: readonly Detector[],
  replace: (found: string, detector: Detector) => string,
): string {
  let result = text;
  for (const detector of ORDER) {
    if (!detectors.includes(detector)) continue;
    result = result.replace(PATTERNS[detector], (found) =>
      holds(detector, found) ? replace(found, detector) : found,
    );
  }
  return result;
}

function holds(detector: Detector, found: string): boolean {
  switch (detector) {
    case 'email':
    case 'ssn':
      return true;
    case 'credit_card':
      return isLuhn(found.replaceAll(/\D/g, ''));
    case 'iban':
      return isIban(found.replaceAll(' ', ''));
    case 'ip_address':
      return found.includes(':') || found.split('.').every((part) => Number(part) <= 255);
    case 'phone': {
      const digits = found.replaceAll(/\D/g, '').length;
      return digits >= 8 && digits <= 15 && !/^\d{4}-\d{2}-\d{2}$/.test(found);
    }
  }
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0 && digits.length >= 13;
}

/** ISO 13616: the number, turned round and with letters as numbers, leaves 1 when divided by 97. */
function isIban(text: string): boolean {
  if (text.length < 15 || text.length > 34) return false;
  let rest = 0;
  for (const char of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
