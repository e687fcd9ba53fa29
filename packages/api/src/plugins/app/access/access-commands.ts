import type { CreatedToken, OidcRule, Role, SealedSecret, SecretUpload, Token, TokenRequest } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { auditedOf, type LiveToken } from '../../../tables/tokens-repository.ts';

/** Tokens, sessions and secrets. */
export const accessCommands = ({ tokens, sessions, secrets, audit, keys }: Tables) => ({
  /** @returns the token, which is shown this once; null: it was made before, under the same key. */
  createToken(request: TokenRequest, caller: Caller): { id: string; created: CreatedToken | null } {
    let created: CreatedToken | null = null;
    const { id } = keys.once(caller, () => {
      created = tokens.create(request, caller.access.name);
      audit.of(caller, 'token.create', created.id, auditedOf(created));
      return created.id;
    });
    return { id, created };
  },

  /** Makes the first token, an admin's. @returns null where there is or was one already. */
  createFirstToken(): CreatedToken | null {
    const created = tokens.createFirst('admin');
    if (created === null) return null;
    const { id, name, role } = created;
    audit.record({ by: null, action: 'token.create', subject: id, detail: { name, role, first: true } });
    return created;
  },

  /** The token of the runner beside the service, in place of the one before. */
  createRunnerToken(runnerName: string): string {
    const name = `runner ${runnerName} beside the service`;
    const before = tokens.findByName(name);
    if (before) tokens.revoke(before.id);
    const role: Role = 'runner';
    const { id, token } = tokens.create({ name, role }, null);
    audit.record({ by: null, action: 'token.create', subject: id, detail: { name, role } });
    return token;
  },

  /** @throws ProblemError not-found. */
  revokeToken(id: string, caller: Caller): Token {
    const { name, role } = found(tokens.find(id), `token ${id}`);
    if (tokens.revoke(id)) audit.of(caller, 'token.revoke', id, { name, role });
    return found(tokens.find(id), `token ${id}`);
  },

  /** The token that the jobs of a rule count as: made, or given the rule's role and scope. @returns its id. @throws ProblemError name-taken, invalid-request. */
  putRule(rule: OidcRule): number {
    const { token, change } = tokens.putRule(rule);
    const { id, name, role, scope, issuer } = token;
    const detail = { name, role, issuer, ...(scope === null ? {} : { scope }) };
    if (change !== null) audit.record({ by: null, action: `token.${change}`, subject: id, detail });
    return Number(id);
  },

  /** Stores when tokens were used last. @param uses id and ISO 8601. */
  storeTokenUses: (uses: readonly (readonly [number, string])[]): void => tokens.setUses(uses),

  /** Signs a browser in. @param before the secret of the session that this one takes the place of. */
  createSession(token: LiveToken, { before, address }: { before: string | undefined; address: string }) {
    if (before !== undefined) sessions.end(before);
    audit.record({ by: token.name, action: 'session.create', subject: String(token.id), detail: { address } });
    return sessions.create(token);
  },

  endSession: (secret: string): void => sessions.end(secret),

  putSecret(name: string, upload: SecretUpload, caller: Caller): SealedSecret {
    audit.of(caller, 'secret.put', name, { hosts: upload.hosts });
    return secrets.put(name, upload, caller.access.name);
  },

  /** @throws ProblemError not-found. */
  deleteSecret(name: string, caller: Caller): void {
    if (!secrets.delete(name)) throw new ProblemError('not-found', `There is no secret ${name}. GET /api/v1/secrets lists them.`);
    audit.of(caller, 'secret.delete', name);
  },
});
