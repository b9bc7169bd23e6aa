import Testing

@testable import carillon_load

struct ChartMarkerTests {
    @Test func eachOperationHasAMarkOfItsOwn() {
        let place = ChartPoint(10, 10)
        let line = LineChart.Line(name: "x", color: "c0", points: [])
        let shapes = LoadOperation.allCases.compactMap { $0.marker?.drawing(of: line, at: place) }
        #expect(Set(shapes).count == LoadOperation.allCases.count)
    }
}
