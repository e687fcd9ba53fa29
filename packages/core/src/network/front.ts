// Folders and servers of this machine as visits reach them: behind an nginx, at host names of its own.

/** A header of what the nginx in front of a local server answered by itself, because the server did not. */
export const frontHeader = 'x-pronghorn-front';

/** The names of all folders are below this … */
export const folderDomain = 'folder.pronghorn.test';
/** … and those of all servers below this. */
export const serverDomain = 'server.pronghorn.test';

/** True for the address of a folder or of a local server, which Pronghorn's own nginx serves. */
export const isOfThisMachine = (url: string): boolean => {
  const hostname = URL.parse(url)?.hostname ?? '';
  return [folderDomain, serverDomain].some((domain) => hostname.endsWith(`.${domain}`));
};
