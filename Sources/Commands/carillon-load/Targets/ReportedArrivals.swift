import CarillonClient
import Foundation

/// The arrivals of pushes since the last request, as the APNs simulator reports them.
struct ReportedArrivals: Decodable, Sendable {
    /// The markers of pushes and their arrival times in microseconds since 1970, alternating.
    var arrivals: [UInt64]
    /// The number of arrivals that were not stored.
    var lost: UInt64
}
