// Which Pronghorn this is. All packages are released together, so core's number is everybody's.
import manifest from '../../package.json' with { type: 'json' };

/** Of this Pronghorn, such as 0.1.0. */
export const version: string = manifest.version;
