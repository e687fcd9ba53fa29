// The version of this Pronghorn: all packages are released together.
import manifest from '../../package.json' with { type: 'json' };

/** Such as 0.1.0. */
export const version: string = manifest.version;
