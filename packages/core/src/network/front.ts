/** A header of what the nginx in front of a local server answered by itself, because the server did not. */
export const frontHeader = 'x-pronghorn-front';
