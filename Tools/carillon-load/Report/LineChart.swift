import Foundation

/// A line chart in SVG with the colours of the page.
struct LineChart {
    /// A line.
    struct Line {
        /// The style of a line.
        enum Style: String {
            case solid
            case dashed
            case faint
        }

        var name: String
        /// A colour of the page: `c0` to `c7`, `bad` or `quiet`.
        var colour: String
        var style = Style.solid
        /// True if the space below is filled.
        var isFilled = false
        /// The points; nil interrupts the line.
        var points: [(x: Double, y: Double)?]
    }

    /// The description for screen readers.
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
    func panel(_ size: (Double, Double) = (360, 230)) -> String {
        "<figure>\(legend)\(svg(size, of: "panel"))</figure>"
    }

    private var legend: String {
        let items = lines.map { "<li><i class=\"\($0.colour) \($0.style.rawValue)\"></i>\($0.name.escaped)</li>" }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    private func svg(_ size: (width: Double, height: Double), of kind: String) -> String {
        let area = Area(
            width: size.width - Self.left - Self.right, height: size.height - Self.top - Self.bottom)
        let box = "0 0 \(size.width.coordinate) \(size.height.coordinate)"
        let start = "<svg class=\"\(kind)\" viewBox=\"\(box)\" role=\"img\" aria-label=\"\(description.escaped)\">"
        return start + axes(area) + lines.map { drawing(of: $0, area) }.joined() + "</svg>"
    }

    /// The plot area.
    private struct Area {
        var width: Double
        var height: Double

        func across(_ position: Double) -> String { (LineChart.left + position * width).coordinate }
        func down(_ position: Double) -> String { (LineChart.top + (1 - position) * height).coordinate }
    }

    private func axes(_ area: Area) -> String {
        let floor = area.down(0)
        var parts: [String] = []
        func path(_ kind: String, _ path: String) { parts.append("<path class=\"\(kind)\" d=\"\(path)\"/>") }
        func text(kind: String, x: String, y: String, below: Int, _ text: String) {
            parts.append("<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" dy=\"\(below)\">\(text.escaped)</text>")
        }
        for tick in y.ticks {
            let height = area.down(tick.position)
            path("grid", "M\(area.across(0)) \(height)H\(area.across(1))")
            text(kind: "end", x: (Self.left - 8).coordinate, y: height, below: 4, tick.label)
        }
        for tick in thinned(x.ticks, width: area.width) {
            let left = area.across(tick.position)
            path("grid", "M\(left) \(area.down(1))V\(floor)")
            text(kind: "mid", x: left, y: floor, below: 17, tick.label)
        }
        path("axis", "M\(area.across(0)) \(floor)H\(area.across(1))")
        text(kind: "title", x: "2", y: "0", below: 12, yTitle)
        text(kind: "title end", x: area.across(1), y: floor, below: 35, xTitle)
        return parts.joined()
    }

    private func drawing(of line: Line, _ area: Area) -> String {
        runs(line.points).map { run in
            func across(_ point: (x: Double, y: Double)?) -> String { area.across(x.position(point?.x ?? 0)) }
            let path = run.map { "\(across($0)) \(area.down(y.position($0.y)))" }.joined(separator: "L")
            let floor = area.down(0)
            let below = "M\(across(run.first)) \(floor)L\(path)L\(across(run.last)) \(floor)Z"
            let filling = line.isFilled ? "<path class=\"area \(line.colour)\" d=\"\(below)\"/>" : ""
            // A line without length is drawn as a point by its round caps.
            let end = run.count == 1 ? "h0" : ""
            return filling + "<path class=\"line \(line.colour) \(line.style.rawValue)\" d=\"M\(path)\(end)\"/>"
        }.joined()
    }

    /// The ticks whose labels have room.
    private func thinned(_ ticks: [Scale.Tick], width: Double) -> [Scale.Tick] {
        var end = -Double.infinity
        return ticks.filter { tick in
            let half = Double(tick.label.count) * 3.6 + 4
            guard tick.position * width - half > end else { return false }
            end = tick.position * width + half
            return true
        }
    }

    /// The pieces of a line between its breaks.
    private func runs(_ points: [(x: Double, y: Double)?]) -> [[(x: Double, y: Double)]] {
        points.split { $0 == nil }.map { $0.compactMap { $0 } }
    }
}

extension Double {
    /// An SVG coordinate with one decimal.
    fileprivate var coordinate: String {
        let text = String(format: "%.1f", self)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
