import CarillonTestKit
import CarillonWire
import Foundation
import Testing

@testable import CarillonServer

/// The metrics have the names and meanings of the page.
struct MetricNameTests {
    @Test func `every metric of the page has a meaning for scrapes`() throws {
        let page = Repository.file("Sources/Documentation/Metrics.md")
        let rows = try String(contentsOf: page, encoding: .utf8).matches(of: /\n\| `(carillon_\w+)` \|/)
        let explained = MetricName.help.keys.filter { $0.hasPrefix("carillon_") }
        #expect(Set(rows.map { String($0.1) }) == Set(explained))
    }

    /// The labels that are literals of the code; those of pools begin with the name of a provider.
    @Test func `every metric that the code makes has a meaning`() throws {
        let root = Repository.file("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }
        for file in files where file.hasSuffix(".swift") {
            let code = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            for label in code.matches(of: /label: "(carillon_\w+)"/) {
                #expect(MetricName.help[String(label.1)] != nil, "\(label.1) in \(file)")
            }
        }
    }

    @Test(arguments: MetricName.help.keys.sorted()) func `every metric is explained on its page`(_ name: String) throws
    {
        let page = Repository.file("Sources/Documentation/Metrics.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let meaning = try #require(MetricName.help[name])
        #expect(text.contains("| `\(name)` | \(meaning) |"))
    }

    @Test(arguments: Opcode.served) func `every request has a name in the metrics`(_ opcode: Opcode) {
        #expect(!opcode.name.hasPrefix("opcode-"))
    }
}
