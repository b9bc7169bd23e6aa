/// A duration as text for users, in a fitting unit.
package enum DurationText {
    /// Returns a number of milliseconds as text: `250 ms`, `1.5 s`, `3 min`.
    package static func of(milliseconds: UInt64) -> String {
        switch milliseconds {
        case ..<1_000: "\(milliseconds) ms"
        case ..<10_000: "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
        case ..<120_000: "\(milliseconds / 1_000) s"
        case ..<7_200_000: "\(milliseconds / 60_000) min"
        case ..<172_800_000: "\(milliseconds / 3_600_000) h"
        default: "\(milliseconds / 86_400_000) d"
        }
    }
}
