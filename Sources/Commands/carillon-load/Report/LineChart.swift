import Foundation

/// A line chart in SVG with the colors of the page.
struct LineChart {
    struct Line {
        enum Style: String {
            case solid
            case dashed
            case faint
        }

        var name: String
        /// The color of the line, as the page names it: `c0` to `c7`, `bad` or `quiet`.
        var color: String
        var style = Style.solid
        /// The shape on the line, which tells it from others in print and for the color-blind; nil if the line has
        /// none.
        var marker: ChartMarker?
        /// True if the space below the line is filled.
        var isFilled = false
        /// The points of the line. A nil interrupts it.
        var points: [ChartPoint?]
    }

    /// The description for screen readers.
    var description: String
    var x: Scale
    var y: Scale
    var xTitle: String
    var yTitle: String
    /// Gives the text of a value to which the reader points.
    var xText: (Double) -> String
    var yText: (Double) -> String
    var lines: [Line]

    /// The most places of a chart at which pointing shows values.
    private static let maximumPlaces = 60
    private static let markersOfLine = 6

    private static let left = 58.0
    private static let right = 18.0
    private static let top = 24.0
    private static let bottom = 42.0

    /// Makes the chart and the names of its lines, for wide and for narrow windows.
    func figure(wide: (Double, Double) = (1_120, 380), narrow: (Double, Double) = (360, 300)) -> String {
        "<figure>\(legend)\(svg(wide, of: "wide"))\(svg(narrow, of: "narrow"))</figure>"
    }

    /// Makes the chart and the names of its lines, in one size for all windows.
    func panel(_ size: (Double, Double) = (360, 230)) -> String {
        "<figure>\(legend)\(svg(size, of: "panel"))</figure>"
    }

    private var legend: String {
        let items = lines.map { line in
            let stroke = "<path class=\"line \(line.color) \(line.style.rawValue)\" d=\"M1 6H25\"/>"
            let shape = line.marker?.drawing(of: line, at: ChartPoint(13, 6)) ?? ""
            return
                "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\">\(stroke)\(shape)</svg>\(line.name.escaped)</li>"
        }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    private func svg(_ size: (width: Double, height: Double), of kind: String) -> String {
        let area = Area(
            width: size.width - Self.left - Self.right, height: size.height - Self.top - Self.bottom)
        let box = "0 0 \(size.width.coordinate) \(size.height.coordinate)"
        let start = "<svg class=\"\(kind)\" viewBox=\"\(box)\" role=\"img\" aria-label=\"\(description.escaped)\">"
        // A phone has no pointer. The lines are above the places: pointing at a line shows its name.
        let places = kind == "narrow" ? "" : places(area)
        let drawings = lines.enumerated().map { drawing(of: $1, number: $0, area) }
        return start + axes(area) + places + drawings.joined() + "</svg>"
    }

    /// Makes invisible stripes that show the values of all lines when the reader points at them.
    private func places(_ area: Area) -> String {
        let positions =
            lines.map { $0.points.compactMap { $0 }.map { x.position($0.x) } }.max { $0.count < $1.count } ?? []
        guard let first = positions.first, let last = positions.last, last > first else { return "" }
        let count = min(positions.count, Self.maximumPlaces)
        return (0..<count).map { index in
            let from = Double(index) / Double(count)
            let to = Double(index + 1) / Double(count)
            let middle = first + (from + to) / 2 * (last - first)
            let values = lines.compactMap { line in
                line.nearest(to: middle, x, within: 1 / Double(count)).map { (line, $0) }
            }
            guard let place = values.first?.1.x else { return "" }
            let text = ([xText(place)] + values.map { "\($0.name): \(yText($1.y))" }).joined(separator: "\n")
            let left = Self.left + (first + from * (last - first)) * area.width
            let width = ((last - first) / Double(count) * area.width).coordinate
            return "<rect class=\"place\" x=\"\(left.coordinate)\" y=\"\(area.down(1))\" width=\"\(width)\" "
                + "height=\"\(area.height.coordinate)\"><title>\(text.escaped)</title></rect>"
        }.joined()
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
        func addPath(_ kind: String, _ path: String) { parts.append("<path class=\"\(kind)\" d=\"\(path)\"/>") }
        func text(kind: String, x: String, y: String, below: Int, _ text: String) {
            parts.append("<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" dy=\"\(below)\">\(text.escaped)</text>")
        }
        for tick in y.ticks {
            let height = area.down(tick.position)
            addPath("grid", "M\(area.across(0)) \(height)H\(area.across(1))")
            text(kind: "end", x: (Self.left - 8).coordinate, y: height, below: 4, tick.label)
        }
        for tick in thinned(x.ticks, width: area.width) {
            let left = area.across(tick.position)
            addPath("grid", "M\(left) \(area.down(1))V\(floor)")
            text(kind: "mid", x: left, y: floor, below: 17, tick.label)
        }
        addPath("axis", "M\(area.across(0)) \(floor)H\(area.across(1))")
        text(kind: "title", x: "2", y: "0", below: 12, yTitle)
        text(kind: "title end", x: area.across(1), y: floor, below: 35, xTitle)
        return parts.joined()
    }

    private func drawing(of line: Line, number: Int, _ area: Area) -> String {
        let path = makePath(of: line, area)
        guard let marker = line.marker else { return path }
        // Each line has its markers at other places, so that they do not hide each other.
        let shift = (Double(number) + 0.5) / Double(lines.count)
        let shapes = (0..<Self.markersOfLine).compactMap { index -> String? in
            let position = (Double(index) + shift) / Double(Self.markersOfLine)
            guard let point = line.nearest(to: position, x, within: 0.02) else { return nil }
            let place = ChartPoint(
                Self.left + x.position(point.x) * area.width, Self.top + (1 - y.position(point.y)) * area.height)
            return marker.drawing(of: line, at: place)
        }
        return path + shapes.joined()
    }

    private func makePath(of line: Line, _ area: Area) -> String {
        runs(line.points).map { run in
            func across(_ point: ChartPoint?) -> String { area.across(x.position(point?.x ?? 0)) }
            let path = run.map { "\(across($0)) \(area.down(y.position($0.y)))" }.joined(separator: "L")
            let floor = area.down(0)
            let below = "M\(across(run.first)) \(floor)L\(path)L\(across(run.last)) \(floor)Z"
            let filling = line.isFilled ? "<path class=\"area \(line.color)\" d=\"\(below)\"/>" : ""
            // A line without length is drawn as a point by its round caps.
            let end = run.count == 1 ? "h0" : ""
            return filling + "<path class=\"line \(line.color) \(line.style.rawValue)\" d=\"M\(path)\(end)\">"
                + "<title>\(line.name.escaped)</title></path>"
        }.joined()
    }

    /// Returns the ticks whose labels have room.
    private func thinned(_ ticks: [Scale.Tick], width: Double) -> [Scale.Tick] {
        var end = -Double.infinity
        return ticks.filter { tick in
            let half = Double(tick.label.count) * 3.6 + 4
            guard tick.position * width - half > end else { return false }
            end = tick.position * width + half
            return true
        }
    }

    /// Returns the parts of a line between its breaks.
    private func runs(_ points: [ChartPoint?]) -> [[ChartPoint]] {
        points.split { $0 == nil }.map { $0.compactMap { $0 } }
    }
}

extension LineChart.Line {
    /// Returns the point nearest to a position of the axis from 0 to 1; nil if no point is within `distance`.
    func nearest(to position: Double, _ x: Scale, within distance: Double) -> ChartPoint? {
        let near = points.compactMap { $0 }.map { (point: $0, distance: abs(x.position($0.x) - position)) }
        return near.min { $0.distance < $1.distance }.flatMap { $0.distance <= distance ? $0.point : nil }
    }
}

extension Double {
    /// The number as an SVG coordinate with one decimal.
    var coordinate: String {
        let text = String(format: "%.1f", self)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// The shape of the marks on a line.
enum ChartMarker: UInt8, CaseIterable, Sendable {
    case circle
    case square
    case triangle
    case diamond
    case cross
    case plus

    private static let radius = 3.5

    /// Draws the shape at a place, in the color of the line; hollow if the line is dashed.
    func drawing(of line: LineChart.Line, at place: ChartPoint) -> String {
        let kind = "marker \(line.color)\(line.style == .dashed ? " hollow" : "")"
        return "<path class=\"\(kind)\" d=\"\(path(place))\"/>"
    }

    private func path(_ centre: ChartPoint) -> String {
        let radius = Self.radius
        let left = (centre.x - radius).coordinate
        let right = (centre.x + radius).coordinate
        let top = (centre.y - radius).coordinate
        let bottom = (centre.y + radius).coordinate
        let x = centre.x.coordinate
        let y = centre.y.coordinate
        let arc = "a\(radius) \(radius) 0 1 0 "
        return switch self {
        case .circle: "M\(left) \(y)\(arc)\(2 * radius) 0\(arc)\(-2 * radius) 0Z"
        case .square: "M\(left) \(top)H\(right)V\(bottom)H\(left)Z"
        case .triangle: "M\(x) \(top)L\(right) \(bottom)H\(left)Z"
        case .diamond: "M\(x) \(top)L\(right) \(y)L\(x) \(bottom)L\(left) \(y)Z"
        case .cross: "M\(left) \(top)L\(right) \(bottom)M\(left) \(bottom)L\(right) \(top)"
        case .plus: "M\(left) \(y)H\(right)M\(x) \(top)V\(bottom)"
        }
    }
}

extension LoadOperation {
    /// The mark of the operation on pages.
    var marker: ChartMarker? { ChartMarker(rawValue: rawValue) }
}

/// A point of a chart: in the units of its axes, or a place in the drawing.
struct ChartPoint: Equatable {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}
