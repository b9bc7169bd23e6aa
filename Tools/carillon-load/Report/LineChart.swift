import Foundation

/// A chart of lines, drawn as SVG that takes its colours from the page.
struct LineChart {
    /// A line.
    struct Line {
        /// How it looks.
        enum Style: String {
            case solid
            case dashed
            case faint
        }

        var name: String
        /// A colour of the page: `c0` to `c7`, `bad` or `quiet`.
        var colour: String
        var style = Style.solid
        /// Whether the space below is filled.
        var isFilled = false
        /// Nothing breaks the line.
        var points: [(x: Double, y: Double)?]
    }

    /// Read to those who cannot see it.
    var description: String
    var x: Scale
    var y: Scale
    var xTitle: String
    var yTitle: String
    var lines: [Line]

    private static let left = 58.0
    private static let right = 18.0
    private static let top = 24.0
    private static let bottom = 42.0

    /// The chart and the names of its lines, for wide and for narrow windows.
    func figure(wide: (Double, Double) = (1_120, 380), narrow: (Double, Double) = (360, 300)) -> String {
        "<figure>\(legend)\(svg(wide, of: "wide"))\(svg(narrow, of: "narrow"))</figure>"
    }

    /// The chart and the names of its lines, in one size for all windows.
    func panel(_ size: (Double, Double) = (360, 230)) -> String { "<figure>\(legend)\(svg(size, of: "panel"))</figure>" }

    private var legend: String {
        let items = lines.map { "<li><i class=\"\($0.colour) \($0.style.rawValue)\"></i>\($0.name.escaped)</li>" }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    private func svg(_ size: (width: Double, height: Double), of kind: String) -> String {
        let plot = (width: size.width - Self.left - Self.right, height: size.height - Self.top - Self.bottom)
        func across(_ place: Double) -> String { Self.number(Self.left + place * plot.width) }
        func down(_ place: Double) -> String { Self.number(Self.top + (1 - place) * plot.height) }
        let floor = down(0)
        var parts = [
            "<svg class=\"\(kind)\" viewBox=\"0 0 \(Self.number(size.width)) \(Self.number(size.height))\" role=\"img\" "
                + "aria-label=\"\(description.escaped)\">"
        ]
        for tick in y.ticks {
            parts.append("<path class=\"grid\" d=\"M\(across(0)) \(down(tick.place))H\(across(1))\"/>")
            parts.append("<text x=\"\(Self.number(Self.left - 8))\" y=\"\(down(tick.place))\" dy=\"4\" class=\"end\">\(tick.label)</text>")
        }
        for tick in thinned(x.ticks, width: plot.width) {
            parts.append("<path class=\"grid\" d=\"M\(across(tick.place)) \(down(1))V\(floor)\"/>")
            parts.append("<text x=\"\(across(tick.place))\" y=\"\(floor)\" dy=\"17\" class=\"mid\">\(tick.label)</text>")
        }
        parts.append("<path class=\"axis\" d=\"M\(across(0)) \(floor)H\(across(1))\"/>")
        parts.append("<text x=\"2\" y=\"12\" class=\"title\">\(yTitle.escaped)</text>")
        parts.append("<text x=\"\(across(1))\" y=\"\(floor)\" dy=\"35\" class=\"title end\">\(xTitle.escaped)</text>")
        for line in lines {
            for run in runs(line.points) {
                let path = run.map { "\(across(x.place($0.x))) \(down(y.place($0.y)))" }.joined(separator: "L")
                if line.isFilled, let first = run.first, let last = run.last {
                    let area = "M\(across(x.place(first.x))) \(floor)L\(path)L\(across(x.place(last.x))) \(floor)Z"
                    parts.append("<path class=\"area \(line.colour)\" d=\"\(area)\"/>")
                }
                parts.append("<path class=\"line \(line.colour) \(line.style.rawValue)\" d=\"M\(path)\(run.count == 1 ? "h0" : "")\"/>")
            }
        }
        return parts.joined() + "</svg>"
    }

    /// As many ticks as have room for their labels.
    private func thinned(_ ticks: [Scale.Tick], width: Double) -> [Scale.Tick] {
        var end = -Double.infinity
        return ticks.filter { tick in
            let half = Double(tick.label.count) * 3.6 + 4
            guard tick.place * width - half > end else { return false }
            end = tick.place * width + half
            return true
        }
    }

    /// The pieces of a line between its breaks.
    private func runs(_ points: [(x: Double, y: Double)?]) -> [[(x: Double, y: Double)]] {
        points.split { $0 == nil }.map { $0.compactMap { $0 } }
    }

    private static func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension String {
    /// For HTML, also between quotation marks.
    var escaped: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
