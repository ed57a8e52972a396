import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Built in, or native: taken as they are. */
const OUTSIDE = [/^node:/, ...builtinModules, "electron", "serialport", /^@serialport\//, "node-gyp-build", "vite"];

/**
 * Builds the desktop's processes into `out/electron`: the shell, the bench process and its workers as modules, the preload script (`--mode preload`) as
 * one CommonJS file, because a sandboxed preload can import nothing but `electron`.
 */
export default defineConfig(({ mode }) =>
  mode === "preload"
    ? {
        build: {
          outDir: at("../out/electron"),
          emptyOutDir: false,
          minify: false,
          lib: { entry: at("../electron/preload/preload.ts"), formats: ["cjs"], fileName: () => "preload.cjs" },
          rolldownOptions: { external: ["electron"] },
        },
      }
    : {
        build: {
          outDir: at("../out/electron"),
          emptyOutDir: true,
          minify: false,
          target: "node24",
          ssr: true,
          rolldownOptions: {
            external: OUTSIDE,
            input: {
              main: at("../electron/shell/main.ts"),
              desktop: at("../electron/shell/bench-process.ts"),
              "frame-worker": at("../main/app/live-chain/frame-worker.ts"),
              "world-worker": at("../main/app/live-chain/world-worker.ts"),
            },
            // All in one folder: whoever starts a worker looks for its module beside itself.
            output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", format: "es" },
          },
        },
        ssr: { noExternal: true },
      },
);
