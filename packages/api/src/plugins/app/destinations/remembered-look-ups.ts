// Names that were looked up a moment ago: who types asks for the same ones with each letter.
import type { LookUp } from './destinations.ts';

const [rememberedMs, most] = [60_000, 2_000];

/** Of each name the look-up that began last, over or not, within a minute; of the newest names. */
export function rememberedLookUps(now: () => number) {
  const kept = new Map<string, { at: number; answer: ReturnType<LookUp> }>();
  return {
    get(name: string): ReturnType<LookUp> | undefined {
      const one = kept.get(name);
      return one !== undefined && Math.abs(now() - one.at) < rememberedMs ? one.answer : undefined;
    },
    set(name: string, answer: ReturnType<LookUp>): ReturnType<LookUp> {
      kept.delete(name);
      kept.set(name, { at: now(), answer });
      if (kept.size > most) kept.delete(kept.keys().next().value as string);
      return answer;
    },
  };
}
