import tseslint from "typescript-eslint";

const CLOCK = "Take a Clock: results may not depend on the wall clock.";
const CHANCE = "Take an Rng: results may not depend on ambient chance.";

/** Layers in which time and chance are arguments. */
const DETERMINISTIC = ["drivers/protocol", "main/contract", "main/analysis", "simulators", "tasks", "main/bench"];

export default tseslint.config(
  { ignores: ["node_modules/**", "out/**", "runs/**", "**/build/**", "**/*.cjs", "**/*.mjs", "docs/**"] },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ["config/tsconfig.node.json", "config/tsconfig.page.json", "config/tsconfig.preload.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Protocol methods are async by shape, whether or not an implementation has to wait.
      "@typescript-eslint/require-await": "off",
      // Numbers and their units are what messages are made of.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  {
    files: DETERMINISTIC.map((layer) => `${layer}/**/*.ts`),
    ignores: ["**/*.test.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "Math", property: "random", message: CHANCE },
        { object: "Date", property: "now", message: CLOCK },
        { object: "performance", property: "now", message: CLOCK },
      ],
      "no-restricted-syntax": ["error", { selector: "NewExpression[callee.name='Date']", message: CLOCK }],
    },
  },
  {
    // Indexed reads in the hot loops of the numeric code are proven by their bounds.
    files: ["main/analysis/**/*.ts", "simulators/**/*.ts", "tests/**/*.ts", "**/*.test.ts"],
    rules: { "@typescript-eslint/non-nullable-type-assertion-style": "off", "@typescript-eslint/no-non-null-assertion": "off" },
  },
  {
    files: ["scripts/**/*.ts", "main/app/commands/**/*.ts"],
    rules: { "no-console": "off" },
  },
);
