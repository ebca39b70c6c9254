// How the script of the interactive page is checked: `make lint-js`.
import js from "@eslint/js";

const names = [
  "addEventListener", "cancelAnimationFrame", "devicePixelRatio", "document", "getComputedStyle",
  "globalThis", "history", "location", "matchMedia", "performance", "requestAnimationFrame",
  "ResizeObserver", "setTimeout", "window",
];

export default [
  js.configs.recommended,
  {
    files: ["**/*.js"],
    languageOptions: {
      ecmaVersion: 2020,
      sourceType: "module",
      globals: Object.fromEntries(names.map((name) => [name, "readonly"])),
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "consistent-return": "error",
      eqeqeq: "error",
      "no-eval": "error",
      "no-implicit-globals": "error",
      "no-implied-eval": "error",
      "no-param-reassign": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "names of a program are text, never HTML" },
        { property: "outerHTML", message: "names of a program are text, never HTML" },
        { property: "insertAdjacentHTML", message: "names of a program are text, never HTML" },
      ],
      "no-shadow": "error",
      "no-throw-literal": "error",
      "no-unused-expressions": "error",
      "no-unused-vars": "error",
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
];
