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
        let (left, right) = ((centre.x - radius).coordinate, (centre.x + radius).coordinate)
        let (top, bottom) = ((centre.y - radius).coordinate, (centre.y + radius).coordinate)
        let (x, y) = (centre.x.coordinate, centre.y.coordinate)
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
