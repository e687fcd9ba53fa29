// The version of this Pronghorn: all packages are released together.
import manifest from '../../package.json' with { type: 'json' };

/** Such as 1.0.0-rc.1. */
export const version: string = manifest.version;
