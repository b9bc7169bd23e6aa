import Testing

@testable import carillon_load

/// The pages of runs and of comparisons, as HTML that a browser can read.
struct ReportPageTests {
    /// Pages of runs of all kinds, by their names.
    private static let pages = [
        "full": RunPage.html(of: Runs.full()), "empty": RunPage.html(of: Runs.empty()),
        "closed": RunPage.html(of: Runs.full(rate: nil)),
        "empty open": RunPage.html(of: Runs.empty(rate: 100)),
        "compared": ComparePage.html(of: Comparison(before: Runs.full(), after: Runs.full(slowness: 3))),
        "compared with nothing": ComparePage.html(of: Comparison(before: Runs.empty(), after: Runs.full())),
        "nothing compared": ComparePage.html(of: Comparison(before: Runs.empty(), after: Runs.empty())),
    ]

    /// Returns the elements that are open at the end, and those that were closed out of turn.
    private func faults(in html: String) -> [String] {
        var open: [String] = []
        var faults: [String] = []
        for piece in html.split(separator: "<").dropFirst() {
            let tag = piece.prefix { $0 != ">" }
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
            if tag.hasPrefix("!") || name == "meta" || tag.hasSuffix("/") { continue }
            if !tag.hasPrefix("/") {
                open.append(String(name))
            } else if open.popLast() != String(name) {
                faults.append(String(tag))
            }
        }
        return open + faults
    }

    @Test func `every page is well formed and loads no other file`() {
        for (name, html) in Self.pages {
            #expect(faults(in: html) == [], "\(name)")
            for foreign in ["http:", "https:", "src=", "@import", "url(", "<script"] {
                #expect(!html.contains(foreign), "\(name): \(foreign)")
            }
            for strange in ["nan", "inf ", "-inf", "Optional("] {
                #expect(!html.contains(strange), "\(name): \(strange)")
            }
        }
    }
}
