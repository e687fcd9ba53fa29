// The devices that Chrome on a server can imitate.
import type { Device, Visitor } from '../schemas/visitor.ts';

export interface Screen {
  width: number;
  height: number;
  scale: number;
  /** Touch screen, with a viewport that follows the page's meta element. */
  mobile: boolean;
}

/** CSS pixels. Desktop: the most common size of screens for years. Phone and tablet: those of Google's Pixel 7 and Pixel Tablet upright. */
const screens: Readonly<Record<Device, Screen>> = {
  desktop: { width: 1366, height: 768, scale: 1, mobile: false },
  phone: { width: 412, height: 915, scale: 2.625, mobile: true },
  tablet: { width: 800, height: 1280, scale: 2, mobile: true },
};

export function screenOf({ device = 'desktop', viewport }: Visitor): Screen {
  const screen = screens[device];
  return viewport === undefined
    ? screen
    : { ...screen, width: viewport.width, height: viewport.height, scale: viewport.scale ?? screen.scale };
}

/**
 * The device in Chrome's own reduced user agent (https://www.chromium.org/updates/ua-reduction/): every Android is a `K` with version 10,
 * and a tablet is one without the word Mobile.
 */
export const systemOf = ({ device = 'desktop' }: Visitor): { inUserAgent: string; platform: string; mobile: boolean } =>
  device === 'desktop'
    ? { inUserAgent: 'X11; Linux x86_64', platform: 'Linux', mobile: false }
    : { inUserAgent: 'Linux; Android 10; K', platform: 'Android', mobile: device === 'phone' };

/** The user agent of a Chrome with a window, followed by our name, so that an owner can allow it. */
export function userAgentOf(visitor: Visitor, chromeMajor: number, version: string): string {
  if (visitor.userAgent !== undefined) return visitor.userAgent;
  const { inUserAgent, mobile } = systemOf(visitor);
  return `Mozilla/5.0 (${inUserAgent}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromeMajor}.0.0.0 ${mobile ? 'Mobile ' : ''}Safari/537.36 Pronghorn/${version}`;
}

/**
 * The speed of a device of the kind, as index of Lighthouse's benchmark: Chrome's developer tools call 1,000 mid-tier (a Pixel 5), and 264
 * low-tier.
 */
export const benchmarkIndexOf: Readonly<Record<Exclude<Device, 'desktop'>, number>> = { phone: 1_000, tablet: 1_000 };
