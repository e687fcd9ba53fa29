import { found } from '../../../shared/problems.ts';
import type { Tables } from '../../../store/tables.ts';

type Parts = Pick<Tables, 'campaigns' | 'discoveries' | 'leases' | 'linkChecks' | 'rounds' | 'secrets'>;

/** What a runner reads of the round that it leased. Each @throws ProblemError not-found. */
export function createLeaseReads({ campaigns, discoveries, leases, linkChecks, rounds, secrets }: Parts) {
  const campaignRowOf = (leaseId: string) => {
    const { roundId } = found(leases.find(leaseId), `lease ${leaseId}`);
    return found(rounds.find(roundId), `round ${roundId}`).campaignId;
  };
  const campaignIdOf = (leaseId: string) => campaigns.known(String(campaignRowOf(leaseId))).campaignId;
  return {
    findLease: leases.find,
    sitesOfLease: (id: string) => campaigns.sitesOf(campaignIdOf(id)),
    discoveriesOfLease: (id: string, after: Parameters<typeof discoveries.after>[1], atMost: number) =>
      discoveries.after(campaignIdOf(id), after, atMost),
    /** Those that the campaign refers to, opened. */
    secretsOfLease(id: string) {
      const campaignId = campaignRowOf(id);
      return secrets.openedFor(found(campaigns.findSpec(campaignId), `campaign ${campaignId}`));
    },
    findLinkCheck: linkChecks.find,
  };
}
