/**
 * pass^k of one case: the chance that k trials drawn from its n all succeed, C(c, k) / C(n, k) with c successes. It asks for
 * reliability, where pass@k asks for luck. Undefined for k > n or no trials.
 */
export function passHatK(successes: number, trials: number, k: number): number | undefined {
  if (k < 1 || trials < k) return undefined;
  let chance = 1;
  for (let i = 0; i < k; i++) chance *= Math.max(0, successes - i) / (trials - i);
  return chance;
}
