import CarillonTLS
import Foundation

/// The claims of a verified provider token.
struct ProviderToken: Equatable {
    var team: String
    var keyID: String
    /// The time of issue, in seconds since 1970.
    var issuedAtSeconds: Int64

    static let maximumAgeSeconds: Int64 = 3600
    static let maximumSkewSeconds: Int64 = 300

    /// Returns true if the token is at most an hour old, and was not issued in the future.
    func isCurrent(atSeconds now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(issuedAtSeconds)
        return !overflow && age <= ProviderToken.maximumAgeSeconds && age >= -ProviderToken.maximumSkewSeconds
    }
}
