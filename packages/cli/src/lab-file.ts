// A demo origin that stands elsewhere on the runner's network, by the file that it wrote.
import { readFileSync } from 'node:fs';
import type { Lab } from '@pronghorn/runner';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { reasonOf, UsageError } from './data.ts';

const check = Compile(
  Type.Object({
    /** All of its hosts' names are below it. */
    domain: Type.String({ minLength: 1 }),
    /** Of its hosts. */
    addresses: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
    trust: Type.Object({
      spki: Type.String({ minLength: 1 }),
      hostRules: Type.String({ minLength: 1 }),
      /** What Firefox trusts; absent where an origin serves Chrome alone. */
      ca: Type.Optional(Type.String({ minLength: 1 })),
    }),
    settings: Type.Record(Type.String(), Type.Unknown()),
  }),
);

export interface LabElsewhere {
  lab: Lab;
  /** What visits must be let through to. */
  addresses: readonly string[];
}

/** @throws UsageError when the file can't be read, or no origin wrote it */
export function labOfFile(path: string): LabElsewhere {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`The lab file ${path} can't be read (${reasonOf(error)}); the demo origin writes it when it starts.`);
  }
  if (!check.Check(content)) {
    const [fault] = check.Errors(content);
    throw new UsageError(`The lab file ${path} is not one of a demo origin: at ${fault?.instancePath || '/'}: ${fault?.message}.`);
  }
  const { domain, addresses, trust, settings } = content;
  return { addresses, lab: { trust, settings, serves: (hostname) => hostname === domain || hostname.endsWith(`.${domain}`) } };
}
