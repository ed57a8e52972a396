import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the page into `out/page`: plain files that any host may serve, with no inline script or style in them. */
export default defineConfig({
  root: at("../renderer"),
  base: "./",
  plugins: [react()],
  build: {
    outDir: at("../out/page"),
    emptyOutDir: true,
    target: "es2023",
    // Everything is a file of its own: the page's policy admits no data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
