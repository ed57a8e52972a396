/** Style of the report's page; it follows the reader's choice of light or dark. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #fff; --line: #d0d7de; --panel: #f6f8fa; --good: #d8f3dc; --bad: #ffd9d6; --warn: #fff1c2; --x: #0b62c4; --y: #b54708; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa4b0; --paper: #12151a; --line: #333b45; --panel: #1a1f26; --good: #16402a; --bad: #5a2320; --warn: #4a3d10; --x: #6db1ff; --y: #ffa657; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 24px; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 24px; margin: 0 0 8px; } h2 { font-size: 19px; margin: 36px 0 8px; border-top: 1px solid var(--line); padding-top: 16px; } h3 { font-size: 15px; margin: 20px 0 6px; } h4 { font-size: 14px; margin: 0 0 4px; }
a { color: inherit; text-underline-offset: 2px; }
.stamp { background: var(--panel); border-left: 4px solid var(--x); padding: 4px 12px; overflow-wrap: anywhere; } .stamp.exploratory { border-color: var(--y); background: var(--warn); }
.simulated { font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; } th, td { border: 1px solid var(--line); padding: 3px 8px; text-align: left; vertical-align: top; } thead th { background: var(--panel); } tbody th { font-weight: 600; } td { white-space: nowrap; }
.matrix .right { background: var(--good); } .matrix .wrong { background: var(--bad); } .matrix .failed { background: var(--warn); } .matrix .idle, .matrix .none { color: var(--soft); }
.caveat { font-weight: 400; color: var(--soft); max-width: 320px; font-size: 12px; }
.tag { font-size: 11px; font-weight: 600; border: 1px solid var(--line); border-radius: 8px; padding: 0 6px; background: var(--warn); }
details.runs > summary { cursor: pointer; margin: 12px 0; font-weight: 600; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(310px, 1fr)); gap: 12px; }
article { border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 4px; padding: 8px 10px; font-size: 13px; } article.right { border-left-color: #2f9e5b; } article.wrong { border-left-color: #d1403a; } article p { margin: 4px 0; } .note { color: var(--soft); font-size: 12px; }
svg { width: 100%; height: auto; } svg.strips { max-width: 760px; } svg text { font: 10px system-ui, sans-serif; fill: var(--soft); }
.frame { fill: none; stroke: var(--soft); } .grid { fill: none; stroke: var(--line); } polyline { fill: none; stroke-width: 1.2; }
circle.x, rect.x { fill: var(--x); stroke: var(--x); } circle.y, rect.y { fill: var(--y); stroke: var(--y); } circle.o, rect.o { fill: none; } polyline.x { stroke: var(--x); } polyline.y { stroke: var(--y); }
.span { stroke: var(--ink); stroke-width: 3; opacity: .55; } .median { stroke: var(--ink); stroke-width: 2; }
.key-x { color: var(--x); font-weight: 700; } .key-y { color: var(--y); font-weight: 700; }
.fine { color: var(--soft); font-size: 12px; overflow-wrap: anywhere; }
`;
