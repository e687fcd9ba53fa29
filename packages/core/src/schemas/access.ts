// Who may do what: every token has one role.
import Type from 'typebox';

/**
 * viewer reads; submitter also makes campaigns, schedules and gates; runner leases rounds and uploads visits; admin does all of it, and
 * makes tokens.
 */
export const roles = ['viewer', 'submitter', 'runner', 'admin'] as const;
export const Role = Type.Enum([...roles]);
export type Role = (typeof roles)[number];
