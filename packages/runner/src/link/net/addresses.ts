// The devices and addresses of a link. They exist only inside its namespaces, so every link has the same.

export interface End {
  v4: string;
  v6: string;
}

export const visitEnd: End = { v4: '10.115.1.2', v6: 'fd70:7068:1::2' };
export const routerEnd: End = { v4: '10.115.1.1', v6: 'fd70:7068:1::1' };
/** The router as the origin sees it. */
export const originGateway: End = { v4: '10.115.2.1', v6: 'fd70:7068:2::1' };
/** The origin's own network: an origin gives each of its hosts an address there. */
export const originNetwork = { addressPrefix: '10.115.2.', addressPrefix6: 'fd70:7068:2::' } as const;

export const prefixLengths = { v4: 24, v6: 64 } as const;

export const familyOf = (address: string): 'v4' | 'v6' => (address.includes(':') ? 'v6' : 'v4');

/** An address as URLs have it. */
export const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** The shaper's device at either end. */
export const linkDevice = 'link0';

/** The ends know each other's address, so that no ARP or neighbour discovery crosses the link and is delayed or lost. */
export const macs = { near: '02:70:67:68:00:01', far: '02:70:67:68:00:02' } as const;
/** The router's device on the demo origin's side. */
export const originDevice = 'origin0';
