import type { CampaignRequest } from '../schemas/campaign.ts';
import type { Engine } from '../vocabulary/engine.ts';

/** What a campaign’s request says of its engine. Whoever asks for Firefox, or for a workload, has said it all. */
export const engineAsked = ({ engine, browser, workload }: Pick<CampaignRequest, 'engine' | 'browser' | 'workload'>): Engine =>
  engine ?? (workload !== undefined ? 'transaction' : browser === 'firefox' ? 'firefox' : 'puppeteer');
