import CarillonCore
import CarillonWire

/// A read that may touch many rows. It runs on one of the reader threads.
enum Listing: Sendable {
    case registry(ListRequest)
    case statistics(StatisticsQuery)
    /// A SEND that only counts its audience.
    case dryRun(Message)
}
