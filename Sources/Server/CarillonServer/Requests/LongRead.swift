import CarillonCore
import CarillonWire

/// A read that may touch many rows. It runs on one of the reader threads.
enum LongRead: Sendable {
    case registry(LongReadRequest)
    case statistics(StatisticsRequest)
    /// A SEND that only counts its audience.
    case dryRun(Message)
}
