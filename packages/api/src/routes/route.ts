import type { FastifyContextConfig, FastifySchema } from 'fastify';
import Type from 'typebox';
import type { Access } from '../plugins/app/access/access.ts';
import { ProblemError } from '../shared/problems.ts';

/** The parameters of a path with an id. */
export const params = Type.Object({ id: Type.String() });

/** Bytes of a body that has a campaign in it: a thousand sites with URLs as long as the schema allows. */
export const campaignBodyLimit = 8 * 2 ** 20;

/** JSON that is sent as it is kept. */
export const json = 'application/json; charset=utf-8';

type Rules = Omit<FastifyContextConfig, 'access'> & { bodyLimit?: number; attachValidation?: boolean; exposeHeadRoute?: boolean };

/**
 * Options of a route: who may ask it, what it takes and answers, and the problems that do not follow from these.
 * @param access the least role that may ask.
 */
export function allow<Route extends FastifySchema & Rules>(access: Access, route: Route) {
  const { scopes, problems, admits, rateLimit, bodyLimit, attachValidation, exposeHeadRoute, ...schema } = route;
  return {
    ...defined({ bodyLimit, attachValidation, exposeHeadRoute }),
    config: { access, ...defined({ scopes, problems, admits, rateLimit }) },
    schema: schema as Omit<Route, keyof Rules>,
  };
}

const defined = <T extends object>(options: T) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };

/** @param what such as `visit's id`. @throws ProblemError invalid-request. */
export function assertSame(what: string, inBody: string, inPath: string): void {
  if (inBody === inPath) return;
  throw new ProblemError('invalid-request', `The ${what} is ${inBody}, and its path says ${inPath}; expected the same.`);
}
