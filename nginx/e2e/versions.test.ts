import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { proves } from '@pronghorn/core/testing';
import { serverWish } from '../src/index.ts';
import { overH2 } from './requests.ts';
import { temporaryOrigin } from './temporary-origin.ts';

/** What `--origin caddy@2.11.9` and the like have brought. */
const tools = process.env.PRONGHORN_TOOLS || fileURLToPath(new URL('../../.tools', import.meta.url));
const brought = readdirSync(tools).filter((name) => /^(caddy|nginx)-\d+\.\d+\.\d+$/.test(name));
const skip = brought.length > 0 ? false : 'no server of a version was brought; ./pronghorn demo --origin caddy@2.11.9 brings one';

describe('a server of a version', { ...proves('servers'), skip }, () => {
  for (const folder of brought) {
    const asked = folder.replace('-', '@');
    test(`${asked} serves, and its version is stored`, async () => {
      const { name, version } = serverWish(asked);
      const { origin, close } = await temporaryOrigin({ server: name, version });
      try {
        const [page] = await overH2(origin, [origin.sites[0]?.url as string]);
        assert.deepEqual([page?.alpn, page?.status], ['h2', 200]);
        assert.deepEqual([origin.settings.asked, origin.settings.version], [asked, version]);
        if (name === 'nginx') assert.equal(page?.headers.server, `nginx/${version}`);
        else assert.match(String(origin.settings.quicGo), /^\d+\.\d+\.\d+$/);
      } finally {
        await close();
      }
    });
  }
});
