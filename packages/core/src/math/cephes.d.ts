// cephes 3 hides its types behind its `exports`; these are the functions that probability.ts uses.
declare module 'cephes' {
  /** Resolves once its WebAssembly is compiled; call nothing before. */
  export const compiled: Promise<void>;
  export function erfc(x: number): number;
  export function ndtri(p: number): number;
  export function chdtrc(df: number, x: number): number;
  export function incbet(a: number, b: number, x: number): number;
  export function incbi(a: number, b: number, p: number): number;
  export function stdtr(df: number, t: number): number;
  export function stdtri(df: number, p: number): number;
  export function bdtr(k: number, n: number, p: number): number;
  export function bdtrc(k: number, n: number, p: number): number;
  export function smirnov(n: number, d: number): number;
  export function kolmogorov(x: number): number;
}
