/// The report of two runs side by side.
enum ComparePage {
    static func html(of comparison: Comparison) -> String {
        let before = comparison.before
        let after = comparison.after
        let header =
            "<header><h1>Two load tests compared</h1><p><b>A</b> \(comparison.title(before).escaped) · "
            + "<b>B</b> \(comparison.title(after).escaped)</p></header>"
        return ReportPage.html(
            title: "Two load tests compared",
            body: [
                header, tiles(comparison), ReportPage.notes(notes(comparison)), curves(comparison), results(comparison),
                differences(comparison),
                "<footer>Made by carillon-load. Ratios below 1.1 are mostly noise, unless the runs were alternated "
                    + "and repeated.</footer>",
            ])
    }

    private static func tiles(_ comparison: Comparison) -> String {
        let total = comparison.sections.first?.rows ?? []
        let tiles = total.filter { ["answered per second", "failed", "p50", "p99", "p99.9"].contains($0.name) }.map {
            ReportPage.tile(
                $0.name, value: $0.name == "failed" ? $0.afterText : "\($0.ratioText) ×",
                detail: "\($0.beforeText) → \($0.afterText)", isBad: $0.isBetter == false)
        }
        return "<div class=\"tiles\">\(tiles.joined())</div>"
    }

    private static func notes(_ comparison: Comparison) -> [String] {
        (comparison.differences.isEmpty ? [] : ["The two runs have different settings; see below."]) + comparison.notes
    }

    private static func curves(_ comparison: Comparison) -> String {
        let before = RunPage.percentileCurves(of: comparison.before)
        let after = RunPage.percentileCurves(of: comparison.after)
        var names: [String] = []
        for curve in before + after where !names.contains(curve.name) { names.append(curve.name) }
        let panels = names.map { name in
            let both = [(before, "A", "quiet", LineChart.Line.Style.dashed), (after, "B", "c0", .solid)]
            let curves = both.compactMap { curves, side, color, style in
                curves.first { $0.name == name }.map {
                    RunPage.Curve(name: side, color: color, style: style, histogram: $0.histogram)
                }
            }
            return "<div><h3>\(name.escaped)</h3>\(RunPage.percentileChart(curves).panel())</div>"
        }
        guard !panels.isEmpty else { return "" }
        return ReportPage.section(
            "Latency by percentile", lead: "Each panel has a scale of its own.",
            ["<div class=\"panels\">\(panels.joined())</div>"])
    }

    private static func results(_ comparison: Comparison) -> String {
        let rows = comparison.sections.flatMap { name, values in
            values.map { value in
                let kind = value.isBetter.map { $0 ? "better" : "worse" } ?? "soft"
                let ratio = "<span class=\"\(kind)\">\(value.ratioText)</span>"
                return ["\(name): \(value.name)", value.beforeText, value.afterText, ratio]
            }
        }
        return ReportPage.section(
            "Results", lead: "Green is better, red is worse, by more than 10 %.",
            [ReportPage.table(["", "A", "B", "B / A"], rows: rows)])
    }

    private static func differences(_ comparison: Comparison) -> String {
        guard !comparison.differences.isEmpty else { return "" }
        let rows = comparison.differences.map { [$0.name.escaped, $0.before.escaped, $0.after.escaped] }
        return ReportPage.section("Different settings", lead: "", [ReportPage.table(["", "A", "B"], rows: rows)])
    }
}
