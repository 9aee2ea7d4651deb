import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["dist/", "bundled/", "test-results/", ".cache/", "**/*.generated.ts"] },
    eslint.configs.recommended,
    {
        files: ["**/*.ts"],
        extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
        languageOptions: {
            parserOptions: {
                project: ["./tsconfig.json", "./src/webview/tsconfig.json"],
                tsconfigRootDir: import.meta.dirname,
            },
        },
        rules: {
            // Numbers read well in texts, and so do the other scalars.
            "@typescript-eslint/restrict-template-expressions": [
                "error",
                { allowNumber: true, allowBoolean: true },
            ],
            "@typescript-eslint/switch-exhaustiveness-check": "error",
            "@typescript-eslint/no-non-null-assertion": "error",
            "max-lines": ["error", 400],
            "max-lines-per-function": ["error", { max: 50, skipBlankLines: true, skipComments: true }],
            eqeqeq: "error",
            // One place escapes what comes from a project: src/messages.ts, and the DOM, where text is text.
            "no-restricted-syntax": [
                "error",
                ...[
                    "MemberExpression[property.name=/^show(Error|Warning|Information)Message$/]",
                    "NewExpression[callee.property.name='MarkdownString']",
                    "CallExpression[callee.object.name='document'][callee.property.name='write']",
                    "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)$/]",
                ].map((selector) => ({
                    selector,
                    message: "Text from a project is escaped first: src/messages.ts, webview/shared/dom.ts.",
                })),
            ],
        },
    },
    {
        // A suite is one function, and its length says nothing. node:test and Playwright settle their promises.
        files: ["test/**", "e2e/**"],
        rules: { "max-lines-per-function": "off", "@typescript-eslint/no-floating-promises": "off" },
    },
    {
        files: ["**/*.mjs"],
        languageOptions: {
            globals: { process: "readonly", console: "readonly", URL: "readonly", Buffer: "readonly" },
        },
    },
);
