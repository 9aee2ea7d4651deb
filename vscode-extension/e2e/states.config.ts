import { defineConfig } from "@playwright/test";

import tests from "./playwright.config";

/** What takes pictures to be looked at, instead of testing: `npm run states`. */
export default defineConfig({ ...tests, testMatch: "*.states.ts", fullyParallel: true, timeout: 420_000 });
