/** Read by the page of its own address: it has no script, and no style but this. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1c2024; --quiet: #5b6169; --line: #dcdfe3; --ground: #fbfbfc; --raised: #fff; --link: #0b57c2;
  --good: #19703d; --bad: #b3261e; --wait: #8a5300; --busy: #0b57c2; --gone: #5b6169;
  --bad-ground: #fdecea; --wait-ground: #fff3dc; --good-ground: #e6f4ea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6e8ea; --quiet: #a0a7b0; --line: #34393f; --ground: #15181b; --raised: #1c2024; --link: #82b4ff;
    --good: #7bd69a; --bad: #ff9b93; --wait: #f2bd66; --busy: #82b4ff; --gone: #a0a7b0;
    --bad-ground: #3b1f1d; --wait-ground: #362a14; --good-ground: #17301f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 0 16px; }
header {
  display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; padding: 8px 16px;
  border-bottom: 1px solid var(--line); background: var(--raised);
}
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; }
nav a { text-decoration: none; padding: 4px 0; }
nav a[aria-current] { color: var(--text); border-bottom: 2px solid var(--link); }
h1 { font-size: 20px; margin: 16px 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 24px 0 8px; }
h3 { font-size: 14px; margin: 16px 0 4px; color: var(--quiet); font-weight: 600; }
p { margin: 8px 0; max-width: 75ch; }
a { color: var(--link); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--raised); padding: 4px 8px; }
.quiet, footer, caption, figcaption { color: var(--quiet); }
footer { margin-top: 32px; padding-bottom: 24px; border-top: 1px solid var(--line); }
.lead { font-size: 16px; }
.empty, .note, .warning { padding: 8px 12px; border: 1px solid var(--line); border-radius: 4px; background: var(--raised); }
.note { background: var(--wait-ground); }
.warning { background: var(--bad-ground); }
.given { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; background: var(--raised); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; padding: 8px 12px; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px; border-top: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
td { min-width: 8em; max-width: 44em; }
time, .phase, .nowrap { white-space: nowrap; }
.badge { display: inline-block; margin: 2px 0; }
footer p { max-width: none; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; min-width: 0; }
.phase, .badge { font-weight: 600; }
.phase::before { content: "●"; margin-right: 4px; }
.succeeded, .ok { color: var(--good); }
.failed, .problem { color: var(--bad); }
.waiting, .lapsed, .notice { color: var(--wait); }
.running, .backing-off { color: var(--busy); }
.expired, .gone { color: var(--gone); }
.badge { padding: 2px 8px; border-radius: 4px; text-decoration: none; }
.badge.ok { background: var(--good-ground); }
.badge.notice { background: var(--wait-ground); }
.badge.problem { background: var(--bad-ground); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 8px 0; }
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
pre { margin: 8px 0; padding: 8px 12px; border: 1px solid var(--line); border-radius: 4px; background: var(--raised);
  white-space: pre-wrap; overflow-wrap: anywhere; max-height: 60vh; overflow-y: auto; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
form.filter { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; margin: 8px 0 16px; }
form.action label { max-width: 32em; }
form.action { margin: 8px 0 16px; padding: 4px 12px 12px; border: 1px solid var(--line); border-radius: 4px;
  background: var(--raised); }
label { display: grid; gap: 2px; color: var(--quiet); }
.action label { margin-bottom: 4px; }
input, select, button { font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--quiet);
  border-radius: 4px; padding: 4px 8px; min-height: 32px; max-width: 100%; }
select { max-width: 24em; }
button { cursor: pointer; font-weight: 600; }
.forget button { color: var(--bad); border-color: var(--bad); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(184px, 1fr)); gap: 8px 24px; }
figure { margin: 0; }
svg { display: block; width: 100%; height: auto; }
svg line { stroke: var(--line); }
.chart rect { fill: var(--busy); }
.chart.failed-attempts rect { fill: var(--bad); }
.chart.takeovers rect, .chart.handlers-beyond-a-lease rect { fill: var(--wait); }
.axis { display: flex; justify-content: space-between; color: var(--quiet); font-size: 12px; }
.chart.replays rect { fill: var(--good); }
.timeline { margin: 8px 0; }
.timeline rect { fill: var(--bad); }
.timeline rect.released, .timeline rect.interrupted, .timeline rect.lapsed { fill: var(--wait); }
.timeline rect.running { fill: var(--busy); }
.timeline rect.succeeded { fill: var(--good); }
@media (max-width: 640px) {
  thead { position: absolute; left: -999em; }
  tr { display: block; padding: 4px 0; border-top: 1px solid var(--line); }
  td { display: flex; gap: 12px; border: 0; padding: 2px 12px; min-width: 0; }
  td.number { justify-content: flex-start; }
  td::before { content: attr(data-name); flex: 0 0 7.5em; color: var(--quiet); text-align: left; white-space: normal; }
  td:empty { display: none; }
  .timeline svg { min-height: 28px; }
}
progress { accent-color: var(--link); vertical-align: middle; }
`;
