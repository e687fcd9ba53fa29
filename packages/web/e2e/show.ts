// The dashboard with made campaigns, to look at while working on it: node packages/web/e2e/show.ts. It stays until Ctrl-C.
import { once } from 'node:events';
import { startService } from './service.ts';

await using service = await startService();
const conditions = ['native', 'latency-100', '4g', 'loss-1'];
const shop = await service.makeCampaign({
  name: 'shop and images',
  sites: [{ url: 'https://93.184.216.34/' }, { url: 'https://93.184.216.35/gallery' }],
  conditions,
  protocols: ['h1', 'h2', 'h3'],
  rounds: 12,
});
await service.discover(shop);
await service.perform(shop, Number.POSITIVE_INFINITY);
const running = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.36/' }], rounds: 20 });
await service.perform(running, 7);
await service.makeCampaign({ name: 'waits', sites: [{ url: 'https://93.184.216.37/' }], rounds: 5 });
console.log(service.url);
await once(process, 'SIGINT');
