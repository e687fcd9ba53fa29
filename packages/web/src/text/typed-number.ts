// Numbers as people type them.

/**
 * Undefined for an empty field; NaN for what is no number, or could be two: `1,000` is a thousand to some and one to others. A comma before
 * other than three digits parts decimals, as a point does.
 */
export function typedNumber(text: string): number | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const [, mantissa] = /^[-+]?(\d+(?:[.,]\d*)?|[.,]\d+)(?:e[-+]?\d+)?$/i.exec(typed) ?? [];
  if (mantissa === undefined || /^0*[1-9]\d{0,2},\d{3}$/.test(mantissa)) return Number.NaN;
  const number = Number(typed.replace(',', '.'));
  return Number.isFinite(number) ? number : Number.NaN;
}

/** JSON pointers of typed texts that are not numbers. */
export function notNumbers(value: unknown, at = '#'): string[] {
  if (typeof value === 'number') return Number.isNaN(value) ? [at] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, nested]) => notNumbers(nested, `${at}/${key}`));
}

/** The text beside a field that should have a number. */
export const noNumberWords = 'A number is expected here, without commas or spaces between its digits.';
