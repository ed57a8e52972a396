// Which layer may import which (docs/where-does-it-go.md is the same table in words).
// Layer paths are disjoint: an allow-list grants the union of every row that matches, so a row for `electron`
// would silently open `electron/preload`. A folder that no row names fails the build.
const LAYERS = {
  "drivers/protocol": { layers: [], packages: [] },
  "drivers/transport": { layers: ["drivers/protocol"], packages: ["serialport", "@serialport/[^/]+"], node: true },
  "drivers/instruments/[^/]+": {
    layers: ["drivers/protocol", "drivers/transport"],
    packages: ["node-gyp-build"],
    node: true,
  },
  "simulators/world": { layers: ["drivers/protocol"], packages: [] },
  "simulators/instruments": { layers: ["drivers/protocol", "simulators/world"], packages: [] },
  "simulators/faults": { layers: ["drivers/protocol", "simulators/world", "simulators/instruments"], packages: [] },
  "simulators/controllers": {
    layers: ["drivers/protocol", "simulators/world", "simulators/instruments"],
    packages: [],
  },
  "simulators/kernel": { layers: ["simulators/world"], packages: ["node-gyp-build"], node: true },
  "main/contract": { layers: ["drivers/protocol"], packages: ["zod"] },
  "main/analysis": { layers: ["drivers/protocol", "main/contract"], packages: [] },
  "main/kernel": { layers: ["main/analysis"], packages: ["node-gyp-build"], node: true },
  "main/files": {
    layers: ["main/contract", "drivers/protocol"],
    packages: ["tiff", "fast-png", "fast-bmp", "csv-parse", "geotiff"],
    node: true,
  },
  "main/bench": {
    layers: ["drivers/protocol", "main/contract", "main/analysis"],
    packages: ["zod", "fast-png"],
    node: true,
  },
  "main/procedures": { layers: ["main/contract"], packages: ["zod"] },
  "main/store": { layers: ["main/contract"], packages: ["zod"], node: true },
  "main/mcp": {
    layers: ["main/contract", "main/bench"],
    packages: ["@modelcontextprotocol/[^/]+", "zod", "pino"],
    node: true,
  },
  "main/contenders": {
    layers: ["main/contract"],
    packages: ["@modelcontextprotocol/client", "@anthropic-ai/sdk", "openai", "zod"],
    node: true,
  },
  "main/evaluation": {
    layers: [
      "drivers/protocol",
      "main/contract",
      "main/bench",
      "main/mcp",
      "main/contenders",
      "main/procedures",
      "main/store",
      "simulators/[^/]+",
      "tasks",
    ],
    packages: ["@modelcontextprotocol/client", "zod", "yaml", "pure-rand"],
    node: true,
  },
  "main/app": {
    layers: [
      "main/[^/]+",
      "drivers/protocol",
      "drivers/transport",
      "drivers/instruments/[^/]+",
      "simulators/[^/]+",
      "tasks",
    ],
    packages: [".*"],
    node: true,
  },
  bin: { layers: ["main/app"], packages: [], node: true },
  tasks: { layers: ["main/contract"], packages: [] },
  renderer: { layers: ["main/contract", "drivers/protocol"], packages: [".*"] },
  "electron/preload": { layers: ["main/contract"], packages: ["electron"] },
  "electron/shell": { layers: ["main/app", "main/contract"], packages: ["electron"], node: true },
  tests: { layers: [".*"], packages: [".*"], node: true },
  scripts: { layers: [".*"], packages: [".*"], node: true },
};

const allowed = Object.entries(LAYERS).flatMap(([layer, { layers, packages, node }]) => {
  const from = { path: `^(${layer})/` };
  return [
    { from, to: { path: "^$1/" } },
    ...layers.map((to) => ({ from, to: { path: `^${to}/`, pathNot: "node_modules" } })),
    ...packages.map((name) => ({ from, to: { path: `node_modules/(@types/)?${name}/` } })),
    ...(node ? [{ from, to: { dependencyTypes: ["core"] } }] : []),
  ];
});
// A test beside its subject may use the test runner, Node, and whatever the subject may use.
allowed.push({ from: { path: "[.]test[.]tsx?$" }, to: { path: "node_modules/vitest/" } });
allowed.push({ from: { path: "[.]test[.]tsx?$" }, to: { dependencyTypes: ["core"] } });

module.exports = {
  allowed,
  allowedSeverity: "error",
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "electron-only-in-its-host",
      severity: "error",
      from: { pathNot: "^electron/|^tests/" },
      to: { path: "node_modules/electron/" },
    },
    {
      name: "page-stays-in-the-browser",
      severity: "error",
      from: { path: "^renderer/", pathNot: "[.]test[.]tsx?$" },
      to: { dependencyTypes: ["core"] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".d.ts", ".json"],
    },
  },
};
