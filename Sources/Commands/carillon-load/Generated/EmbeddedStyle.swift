// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The text of `ReportPage.css`.
enum EmbeddedStyle {
    static let css = #"""
        /* The pages of carillon-load: runs and comparisons. ReportPage.swift adds the colors of the lines. */
        :root {
          --paper: #f6f7f9; --card: #fff; --ink: #16202e; --soft: #5a6678; --rule: #e3e7ed; --grid: #e9ecf1;
          --bad: #c81e1e; --good: #04785a; --warn: #fff6e0; --warn-ink: #6b4a00;
          --c0: #2563eb; --c1: #c2570c; --c2: #05805f; --c3: #8b2fd6; --c4: #c81d6c; --c5: #0c7f9c; --c6: #6b7280; --c7: #65700a;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #0e131b; --card: #171e29; --ink: #e8edf4; --soft: #9aa7ba; --rule: #2a3444; --grid: #263040;
            --bad: #ff7b72; --good: #4cd3a5; --warn: #33290f; --warn-ink: #f3d58a;
            --c0: #6ea8fe; --c1: #ffa657; --c2: #3fcf9b; --c3: #c69bff; --c4: #ff7eb6; --c5: #4fd1ea; --c6: #a3adbb; --c7: #c9d458;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        main { max-width: 1200px; margin: 0 auto; padding: 32px 20px 48px; }
        header { margin-bottom: 20px; }
        h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; }
        h2 { font-size: 18px; margin: 0 0 2px; }
        h3 { font-size: 13px; font-weight: 600; margin: 0; color: var(--soft); }
        header p, .lead { margin: 0; color: var(--soft); max-width: 110ch; overflow-wrap: anywhere; }
        .lead { font-size: 14px; margin-bottom: 12px; }
        section { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 20px; margin-top: 16px; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; }
        .tile { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 14px 16px; }
        .tile p { font-size: 27px; font-weight: 650; line-height: 1.25; margin: 2px 0; letter-spacing: -0.02em;
          font-variant-numeric: tabular-nums; white-space: nowrap; }
        .tile p small { font-size: 15px; font-weight: 500; color: var(--soft); letter-spacing: 0; }
        .tile > small { color: var(--soft); font-size: 13px; display: block; line-height: 1.35; }
        .alarm p { color: var(--bad); }
        .notes { margin: 16px 0 0; padding: 12px 16px 12px 34px; background: var(--warn); color: var(--warn-ink);
          border-radius: 12px; font-size: 14px; }
        .panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 20px; }
        .pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 20px; margin-bottom: 12px; }
        figure { margin: 0; min-width: 0; }
        figure svg { display: block; width: 100%; height: auto; }
        svg.narrow { display: none !important; }
        svg text { font-size: 12px; fill: var(--soft); font-variant-numeric: tabular-nums; }
        svg .end { text-anchor: end; }
        svg .mid { text-anchor: middle; }
        svg .title { font-weight: 600; }
        .grid { stroke: var(--grid); fill: none; }
        .axis { stroke: var(--soft); fill: none; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .line.dashed { stroke-dasharray: 6 4; }
        .line.faint { stroke-width: 1.25; opacity: 0.75; }
        .line:hover { stroke-width: 4; }
        .area { opacity: 0.13; stroke: none; pointer-events: none; }
        .marker { stroke-width: 1.75; stroke-linecap: round; pointer-events: none; }
        .marker.hollow { fill: var(--card); }
        .place { fill: transparent; }
        .place:hover { fill: var(--grid); }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0 0 6px; padding: 0;
          font-size: 13px; color: var(--soft); }
        figure .legend svg { display: inline-block; width: 26px; height: 12px; margin-right: 6px; vertical-align: -1px; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
        th, td { text-align: right; padding: 7px 8px; border-bottom: 1px solid var(--rule); white-space: nowrap; }
        th:first-child { text-align: left; }
        thead th { color: var(--soft); font-weight: 600; font-size: 13px; }
        tbody th { font-weight: 600; }
        tr:last-child > * { border-bottom: 0; }
        .worse { color: var(--bad); font-weight: 600; }
        .better { color: var(--good); font-weight: 600; }
        .soft { color: var(--soft); }
        dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 0 32px;
          margin: 0; font-size: 14px; }
        dl div { display: flex; gap: 12px; justify-content: space-between; border-bottom: 1px solid var(--rule);
          padding: 6px 0; }
        dt { color: var(--soft); }
        dd { margin: 0; text-align: right; overflow-wrap: anywhere; min-width: 0; }
        footer { color: var(--soft); font-size: 13px; margin-top: 20px; max-width: 90ch; }
        @media (max-width: 700px) {
          main { padding: 20px 12px 32px; }
          h1 { font-size: 23px; }
          section { padding: 16px 14px; }
          .tiles { grid-template-columns: 1fr 1fr; gap: 8px; }
          .tile { padding: 12px; }
          .tile:last-child:nth-child(odd) { grid-column: 1 / -1; }
          .tile p { font-size: 22px; }
          .pair { grid-template-columns: minmax(0, 1fr); }
          svg.wide { display: none !important; }
          svg.narrow { display: block !important; }
          table.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          table.cards, table.cards tbody { display: block; }
          table.cards tr { display: grid; grid-template-columns: 1fr 1fr; gap: 2px 20px; padding: 10px 0;
            border-bottom: 1px solid var(--rule); }
          table.cards tr:last-child { border-bottom: 0; }
          table.cards th[scope=row] { grid-column: 1 / -1; }
          table.cards th, table.cards td { border: 0; padding: 0; display: flex; justify-content: space-between;
            gap: 8px; white-space: normal; }
          table.cards td::before { content: attr(data-name); color: var(--soft); text-align: left; }
        }
        @media print { section, .tile { break-inside: avoid; } }

        """#
}
