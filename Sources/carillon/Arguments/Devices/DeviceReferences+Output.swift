import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The output of devices of a request that the server reports by their index.
extension [DeviceReference] {
    /// Returns the device of that index; nil if the server's index is out of range.
    func at(_ index: Int) -> DeviceReference? { indices.contains(index) ? self[index] : nil }

    /// Prints the devices that are not registered.
    ///
    /// - Throws: `ExitStatus.refused` if there is one.
    func reportUnknown(_ unknown: [Int], quietly: Bool) throws {
        guard !unknown.isEmpty else { return }
        if !quietly { for device in unknown.compactMap(at) { Terminal.printError("  not registered: \(device.text)") } }
        throw ExitStatus.refused
    }

    /// Shows the result of leaving or subscribing.
    func show(_ answer: MembershipResult, as name: String, isJSON: Bool) throws {
        Terminal.printLine(
            isJSON
                ? JSON.members([
                    name == "left" ? "left" : "changed": .number(UInt64(answer.changed)),
                    "unknown": .list(answer.unknown.compactMap { at($0)?.json }),
                ]).line
                : "\(name) \(answer.changed.grouped)"
        )
        try reportUnknown(answer.unknown, quietly: isJSON)
    }
}

extension Int {
    /// The number with the noun "device" or "devices".
    var devices: String { "\(grouped) \(self == 1 ? "device" : "devices")" }
}
