/** A header of what the nginx in front of a local server answered by itself, because the server did not. */
export const frontHeader = 'x-pronghorn-front';

/** All hosts of folders of a machine are below this. */
export const folderDomain = 'folder.pronghorn.test';
/** All hosts of servers on a machine's loopback are below this. */
export const serverDomain = 'server.pronghorn.test';
/** True for the host name of a folder or of a local server, which Pronghorn's own nginx serves. */
export const isServedHere = (hostname: string): boolean => [folderDomain, serverDomain].some((domain) => hostname.endsWith(`.${domain}`));
