// The version of this Pronghorn: all packages are released together.
import manifest from '../../package.json' with { type: 'json' };

/** Of this Pronghorn, such as 0.1.0. */
export const version: string = manifest.version;
