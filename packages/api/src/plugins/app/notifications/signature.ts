// Proves to a receiver that a message comes from this service and is no old one sent again.
import { createHmac, randomBytes } from 'node:crypto';

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

/**
 * The header pronghorn-signature: t=SECONDS,v1=HEX, where HEX is HMAC-SHA256 over "SECONDS.BODY" with the whole secret as key. The time is
 * under the signature, so that who recorded a message cannot give it another one.
 *
 * @param body as sent, byte for byte.
 * @param now milliseconds since 1970.
 */
export function signatureHeader(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
