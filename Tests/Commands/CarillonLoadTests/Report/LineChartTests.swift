import Foundation
import Testing

@testable import carillon_load

/// The lines of a plot, and what the reader sees who points at them.
struct LineChartTests {
    @Test func `plots show values where the reader points`() {
        let html = RunPage.html(of: Runs.full())
        #expect(!html.contains("<title>lookup → device</title>"))
        #expect(html.contains("<title>send-topic → device</title>"))
        #expect(html.contains("% of the requests\nlookup: "))
        #expect(html.contains("answered: "))
        // A phone has no pointer.
        let narrow = html.components(separatedBy: "<svg class=\"narrow\"").dropFirst().compactMap {
            $0.components(separatedBy: "</svg>").first
        }
        #expect(narrow.allSatisfy { !$0.contains("class=\"place\"") })
    }

    @Test func `each operation has a mark of its own`() {
        let place = ChartPoint(10, 10)
        let line = LineChart.Line(name: "x", color: "c0", points: [])
        let shapes = LoadOperation.allCases.compactMap { $0.marker?.drawing(of: line, at: place) }
        #expect(Set(shapes).count == LoadOperation.allCases.count)
    }
}
