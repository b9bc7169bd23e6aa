import CarillonCore
import CarillonSpelling

/// The warnings about a payload that the user has written: APNs accepts it, and the device shows nothing.
enum PayloadWarnings {
    /// Returns the warnings, as sentences; none for a payload that is not a JSON object, which the server refuses.
    static func of(_ payload: [UInt8], type: PushType) -> [String] {
        // Why try?: the server refuses it and says why.
        guard let members = try? JSONObjectParser.parse(payload) else { return [] }
        guard let aps = members["aps"]?.members else {
            guard type == .alert else { return [] }
            let near = Spelling.nearest(to: "aps", among: members.keys.sorted())
            return ["the payload has no aps\(near.map { ", but '\($0)'" } ?? ""): the push shows nothing"]
        }
        var warnings = APSRules.undocumentedKeys(in: aps, for: type).map { key in
            let suggestion = Spelling.suggestion(for: key.name, among: key.documented)
            return "Apple documents no key '\(key.name)' in \(key.parent).\(suggestion)"
        }
        let visible = ["alert", "badge", "sound"]
        if type == .alert, !visible.contains(where: { aps[$0] != nil && aps[$0] != .null }) {
            warnings.append("aps has none of \(visible.joined(separator: ", ")): the push shows nothing")
        }
        return warnings
    }
}
