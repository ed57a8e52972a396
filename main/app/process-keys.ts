import { ModelKeys } from "../contenders/model-keys.ts";

let taken: ModelKeys | undefined;

/** The keys of model providers that this process was started with. From the first call on the environment holds none. */
export function processKeys(): ModelKeys {
  taken ??= ModelKeys.takenFrom(process.env);
  return taken;
}
