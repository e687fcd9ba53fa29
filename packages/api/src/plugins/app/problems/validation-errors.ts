// Says in words what a request has that its schema refuses.
import { counted } from '@pronghorn/core/text';
import type { FastifyError, FastifyRequest } from 'fastify';
import type { TLocalizedValidationError } from 'typebox/error';
import { Pointer } from 'typebox/value';
import { ProblemError } from '../../../shared/problems.ts';

/** A 400 that names each wrong place with what was found there and what was expected. */
export function explainValidation(error: FastifyError, request: FastifyRequest): ProblemError {
  const failures = withoutOtherBranches((error.validation ?? []) as unknown as TLocalizedValidationError[]);
  const part = error.validationContext ?? 'body';
  const given: unknown = { body: request.body, querystring: request.query, params: request.params, headers: request.headers }[part];
  const schema = (request.routeOptions.schema as Record<string, unknown> | undefined)?.[part];
  const places = Map.groupBy(failures, ({ instancePath }) => instancePath);
  const errors = [...places].flatMap(([path, atPlace]) => {
    const pointer = part === 'body' ? `#${path}` : path.slice(1);
    const name = (part === 'body' ? path : path.slice(1)) || 'the body';
    const missing = atPlace.flatMap((failure) => (failure.keyword === 'required' ? failure.params.requiredProperties : []));
    const expected = [...new Set(atPlace.map((failure) => expectation(failure, schema)).filter((text) => text !== null))];
    const found = Pointer.Get(given, path);
    return [
      ...missing.map((property) => ({ pointer: `${pointer}/${property}`, detail: `${path}/${property} is missing` })),
      ...(expected.length > 0 ? [{ pointer, detail: `${name} is ${shown(found)}; expected ${expected.join(', or ')}` }] : []),
      ...(atPlace.some(({ keyword }) => keyword === 'boolean') ? [{ pointer, detail: `${name} is not known here; leave it out` }] : []),
    ];
  });
  return new ProblemError('invalid-request', `${errors.map(({ detail }) => detail).join('. ')}.`, errors);
}

/**
 * In a union, a branch that was not meant tells nothing by its failures: one whose constant (its verdict) says that it is another, or one of
 * another type (a name, or the whole) where the value is of a branch's type.
 */
function withoutOtherBranches(failures: readonly TLocalizedValidationError[]): readonly TLocalizedValidationError[] {
  const branchOf = (schemaPath: string) => /^(.*\/anyOf\/\d+)\/properties\/[^/]+$/.exec(schemaPath)?.[1];
  const others = failures.filter(({ keyword }) => keyword === 'const').flatMap(({ schemaPath }) => branchOf(schemaPath) ?? []);
  const isOfOtherType = ({ keyword, schemaPath }: TLocalizedValidationError) => {
    const [, union] = /^(.*\/anyOf\/)\d+$/.exec(schemaPath) ?? [];
    if (keyword !== 'type' || union === undefined) return false;
    // This branch failed at its root alone: whatever else failed below the union is of a branch whose type is right.
    return failures.some((failure) => failure.schemaPath.startsWith(union) && failure.keyword !== 'type');
  };
  const left = failures.filter((failure) => !isOfOtherType(failure) && !others.some((branch) => failure.schemaPath.startsWith(branch)));
  return withoutOtherKinds(left.some(({ keyword }) => keyword !== 'anyOf') ? left : failures);
}

/** Of a union of kinds of objects without a constant (metrics of a page, or of a run) the kind that lacks fewest properties was meant. */
function withoutOtherKinds(failures: readonly TLocalizedValidationError[]): readonly TLocalizedValidationError[] {
  const lacking = new Map<string, Map<string, number>>();
  for (const { keyword, schemaPath, params } of failures) {
    const [, union = '', branch = ''] = /^(.*\/anyOf\/)(\d+)(?:\/properties\/[^/]+)?$/.exec(schemaPath) ?? [];
    if (branch === '') continue;
    const branches = lacking.get(union) ?? new Map<string, number>();
    lacking.set(union, branches);
    const isMissing = keyword === 'required' && schemaPath === `${union}${branch}`;
    branches.set(branch, (branches.get(branch) ?? 0) + (isMissing ? params.requiredProperties.length : 0));
  }
  // Where a constant tells kinds apart, and none fits, any may have been meant.
  const hasConstants = (union: string) => failures.some(({ keyword, schemaPath }) => keyword === 'const' && schemaPath.startsWith(union));
  const others = [...lacking].flatMap(([union, branches]) => {
    if (hasConstants(union)) return [];
    const least = Math.min(...branches.values());
    return [...branches].flatMap(([branch, count]) => (count > least ? `${union}${branch}` : []));
  });
  return failures.filter(({ schemaPath }) => !others.some((branch) => schemaPath === branch || schemaPath.startsWith(`${branch}/`)));
}

/** What was expected; null where another failure says it, or where it is said otherwise. @param schema of the whole; what a pattern means is its description. */
function expectation(failure: TLocalizedValidationError, schema: unknown): string | null {
  switch (failure.keyword) {
    case 'type':
      return [failure.params.type]
        .flat()
        .map((type) => names[type] ?? type)
        .join(' or ');
    case 'enum':
      return `one of ${failure.params.allowedValues.join(', ')}`;
    case 'const':
      return JSON.stringify(failure.params.allowedValue);
    case 'format':
      return failure.params.format === 'date-time' ? 'a time such as 2026-01-31T12:00:00.000Z' : `a ${failure.params.format}`;
    case 'minimum':
      return `at least ${failure.params.limit}`;
    case 'maximum':
      return `at most ${failure.params.limit}`;
    case 'exclusiveMinimum':
      return `more than ${failure.params.limit}`;
    case 'exclusiveMaximum':
      return `less than ${failure.params.limit}`;
    case 'minLength':
      return `at least ${counted(failure.params.limit, 'character')}`;
    case 'maxLength':
      return `at most ${counted(failure.params.limit, 'character')}`;
    case 'minItems':
      return `at least ${counted(failure.params.limit, 'item')}`;
    case 'maxItems':
      return `at most ${counted(failure.params.limit, 'item')}`;
    case 'pattern': {
      const described = Pointer.Get(schema, failure.schemaPath.replace(/^#|\/pattern$/g, '')) as { description?: string } | undefined;
      return described?.description === undefined
        ? `pattern ${failure.params.pattern}`
        : `this: ${described.description.replace(/\.$/, '')}`;
    }
    case 'uniqueItems':
      return 'each item once';
    case 'required':
    case 'boolean':
    case 'additionalProperties':
    case 'anyOf':
      return null;
    default:
      return failure.message.replace(/^must (be |have |match )?/, '');
  }
}

const names: Record<string, string> = {
  string: 'a text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
