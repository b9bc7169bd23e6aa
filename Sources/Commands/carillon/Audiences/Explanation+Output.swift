import CarillonCommandLine
import CarillonCore

/// The output of the explanation of a condition for users and as JSON.
extension Explanation {
    /// The explanation as JSON; its names are stable.
    var json: JSON {
        .members([
            "condition": .text(condition),
            "devices": .number(devices),
            "sets": .list(terms.map { .members(["set": .text($0.set), "devices": .number($0.devices)]) }),
        ])
    }

    /// The explanation as text: the condition with its count, then each term with its count.
    var table: String {
        let rows = [(devices, condition)] + (terms.count > 1 ? terms.map { ($0.devices, "  " + $0.set) } : [])
        return rows.map { TwoColumnTable.row(Int(clamping: $0.0).grouped, name: $0.1) }.joined(separator: "\n")
    }
}
