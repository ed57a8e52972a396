import tseslint from "typescript-eslint";

const CLOCK = "Take a Clock: results may not depend on the wall clock.";
const CHANCE = "Take an Rng: results may not depend on ambient chance.";

/** Layers in which time and chance are arguments. */
const DETERMINISTIC = ["drivers/protocol", "main/contract", "main/analysis", "simulators", "tasks", "main/bench"];

export default tseslint.config(
  {
    ignores: [
      "node_modules/**",
      "out/**",
      "runs/**",
      "**/build/**",
      "**/*.cjs",
      "**/*.mjs",
      "docs/**",
      "vitest.config.ts",
    ],
  },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ["config/tsconfig.node.json", "config/tsconfig.preload.json", "config/tsconfig.page.json"],
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
      // Interfaces are implemented by closures as often as by classes, and their methods are handed on.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
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
    rules: {
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
  {
    // The page has its own project; tests that import it must not make its sources look like Node's.
    files: ["renderer/**/*.ts", "renderer/**/*.tsx"],
    languageOptions: { parserOptions: { project: ["config/tsconfig.page.json"] } },
  },
  {
    files: ["tests/end-to-end/window/**/*.ts", "tests/end-to-end/desktop/**/*.ts", "renderer/**/*.test.ts"],
    languageOptions: { parserOptions: { project: ["config/tsconfig.page-tests.json"] } },
  },
  {
    // Matchers such as expect.any() are untyped by nature.
    files: ["tests/**/*.ts", "**/*.test.ts"],
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-invalid-void-type": "off",
    },
  },
  {
    files: ["scripts/**/*.ts", "main/app/commands/**/*.ts"],
    rules: { "no-console": "off" },
  },
);
