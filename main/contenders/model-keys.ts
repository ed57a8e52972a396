/** Where the keys of the providers stand in the environment, and other variables that open the same doors. */
const KEY_OF = { anthropic: "ANTHROPIC_API_KEY", "openai-compatible": "OPENAI_API_KEY" } as const;
const WITHHELD = [...Object.values(KEY_OF), "ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY"];

type Environment = Record<string, string | undefined>;

/** Keys of model providers. They cannot be printed, cloned or serialised by accident. */
export class ModelKeys {
  readonly #keys: ReadonlyMap<string, string>;

  private constructor(keys: ReadonlyMap<string, string>) {
    this.#keys = keys;
  }

  /** Takes the keys out of an environment, so that no child process inherits them. */
  static takenFrom(environment: Environment): ModelKeys {
    const keys = new Map<string, string>();
    for (const name of WITHHELD) {
      const value = environment[name]?.trim();
      if (value !== undefined && value !== "") keys.set(name, value);
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- an empty variable would still be inherited
      delete environment[name];
    }
    return new ModelKeys(keys);
  }

  /** Undefined where the environment had none. */
  keyFor(provider: keyof typeof KEY_OF): string | undefined {
    return this.#keys.get(KEY_OF[provider]);
  }

  /** The variable in which the key is looked for. */
  static variable(provider: keyof typeof KEY_OF): string {
    return KEY_OF[provider];
  }
}
