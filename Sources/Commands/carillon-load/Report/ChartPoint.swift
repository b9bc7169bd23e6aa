/// A point of a chart: in the units of its axes, or a place in the drawing.
struct ChartPoint: Equatable {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}
