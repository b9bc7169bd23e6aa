import CarillonCommandLine
import CarillonCore

/// The output of the outcome of a recipient as a line, as CSV and as JSON.
extension RecipientOutcome {
    /// The row as JSON; its names are stable. A token that was not registered has no device.
    var json: JSON {
        .members(["device_id": device.map { .number($0.rawValue) } ?? .null, "outcome": .text(outcome.name)])
    }

    static let csvHead = "device_id,outcome"

    /// The row as CSV; without a device the first field is empty.
    var csv: String { "\(device.map { "\($0)" } ?? ""),\(outcome.name)" }

    /// The row as text.
    var line: String {
        let name = device.map { "\($0)" } ?? "-"
        return String(repeating: " ", count: max(0, 12 - name.count)) + name + "  " + outcome.name
    }
}
