import { defineConfig } from "@playwright/test";

import tests from "./playwright.config";

/** What measures instead of testing: one window at a time. */
export default defineConfig({ ...tests, testMatch: "*.measure.ts", workers: 1 });
