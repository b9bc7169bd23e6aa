@testable import CarillonServer

extension Prometheus {
    /// Returns the lines of the series whose names and labels begin with `prefix`: `name{labels} value`.
    func series(_ prefix: String) -> [String] {
        text().split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
    }
}
