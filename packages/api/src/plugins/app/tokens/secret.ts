// What a token and a session are made of.
import { createHash, randomBytes } from 'node:crypto';

/** Makes tokens recognisable, for people and for programs that search repositories and logs for secrets: `prg_[0-9a-f]{64}`. */
export const tokenPrefix = 'prg_';

/** 256 random bits: nobody guesses one. */
export const newSecret = (): string => randomBytes(32).toString('hex');

export const newToken = (): string => tokenPrefix + newSecret();

/**
 * What is stored of a secret. A plain SHA-256 is right here, other than for passwords: a slow, salted hash protects what people choose from being
 * guessed, and 256 random bits can't be guessed, however fast the hash. Looking a secret up by its hash needs no comparison in constant
 * time either: what the time of the search tells is of a hash, and nobody can make a secret for a hash.
 */
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest();
