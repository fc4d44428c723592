"""The style sheet of the report, for light and dark mode and for print."""

CSS = """
:root {
  color-scheme: light dark;
  --page: #f7f7f5; --card: #ffffff; --ink: #1b1d21; --quiet: #5a6069; --line: #dcdcd8; --grid: #ecece8;
  --off: #6f7782; --eager: #b86e00; --balanced: #0b63b5; --precise: #06805c; --base: #8b5a9f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161a; --card: #1c1f25; --ink: #e9eaec; --quiet: #a3aab4; --line: #343941; --grid: #292d34;
    --off: #a9b1bc; --eager: #f0ad4a; --balanced: #62b0f5; --precise: #3fcb9b; --base: #c79bdc;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2.5rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
main, header, footer { max-width: 76rem; margin: 0 auto; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .35rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .35rem; letter-spacing: -.005em; }
h3 { font-size: 1rem; margin: 0 0 .15rem; }
p { margin: .25rem 0 1rem; max-width: 68ch; }
.quiet, figcaption, footer { color: var(--quiet); }
.note { border-left: 3px solid var(--eager); padding: .1rem 0 .1rem .8rem; margin: .6rem 0; }
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr)); gap: .9rem; margin: 1.4rem 0;
  padding: 0;
}
.tile {
  display: grid; grid-template-rows: subgrid; grid-row: span 2; row-gap: 0; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; padding: .85rem 1rem; margin: 0;
}
.tile dt { color: var(--quiet); font-size: .875rem; }
.tile dd { margin: 0; font-size: 1.75rem; font-weight: 650; font-variant-numeric: tabular-nums; line-height: 1.3; }
.tile .range { display: block; font-size: .8125rem; font-weight: 400; color: var(--quiet); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.card { padding: .6rem 1.1rem; margin-top: 1.1rem; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1.1rem;
  align-items: start;
}
figure {
  margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 1rem 1.1rem .8rem;
}
figcaption { font-size: .875rem; line-height: 1.5; margin: .5rem 0 .2rem; max-width: 66ch; }
svg { display: block; width: 100%; height: auto; max-width: 44rem; margin: .4rem auto 0; overflow: visible; }
.legend {
  display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: .5rem 0 0; padding: 0; list-style: none;
  font-size: .875rem;
}
.legend li { display: flex; align-items: center; gap: .4rem; }
.legend svg { width: 16px; height: 16px; margin: 0; }
details { margin: .5rem 0 .2rem; font-size: .875rem; }
summary { cursor: pointer; color: var(--quiet); }
summary:hover, summary:focus-visible { color: var(--ink); }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 2px solid var(--balanced); outline-offset: 2px; }
table {
  border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; margin: .5rem 0;
  min-width: 100%;
}
caption { text-align: left; color: var(--quiet); padding-bottom: .3rem; }
th, td {
  padding: .3rem .4rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap;
  vertical-align: top;
}
th:first-child, td:first-child, td.words, th.words { text-align: left; }
dl.words { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1.2rem; font-size: .875rem; }
dl.words dt { font-weight: 600; } dl.words dd { margin: 0; color: var(--quiet); }
td.words, th.words { white-space: normal; min-width: 15rem; overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 500; }
td .range { display: block; color: var(--quiet); font-size: .75rem; }
tr.shipped { background: color-mix(in srgb, var(--balanced) 9%, transparent); }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
svg text { font: 12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--quiet); }
svg .label, svg .name { fill: var(--ink); }
svg .name { font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
svg .axis { font-size: 12.5px; }
.grid { stroke: var(--grid); }
.rule { stroke: var(--line); }
.ideal { stroke: var(--quiet); stroke-dasharray: 5 5; }
.curve { fill: none; stroke: var(--quiet); stroke-width: 1.75; stroke-linejoin: round; }
.whisker { stroke: currentColor; stroke-width: 2.2; stroke-opacity: .45; stroke-linecap: round; }
.mark { fill: currentColor; stroke: var(--card); stroke-width: 1; }
.box { fill: currentColor; fill-opacity: .22; }
.median { stroke: currentColor; stroke-width: 2; }
.s-off { color: var(--off); } .s-eager { color: var(--eager); } .s-balanced { color: var(--balanced); }
.s-precise { color: var(--precise); } .s-base { color: var(--base); }
footer { margin-top: 3rem; font-size: .875rem; }
@media print { body { padding: 0; background: none; } figure, .tile { break-inside: avoid; } }
""".strip()
