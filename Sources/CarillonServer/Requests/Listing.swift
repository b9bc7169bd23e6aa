import CarillonCore
import CarillonWire

/// A read that may touch many rows. It runs on the reader thread.
enum Listing: Sendable {
    case registry(ListRequest)
    case statistics(StatisticsQuery)
    /// A SEND that only counts its audience.
    case dryRun(Message)

    /// The listing with a page of at most `bytes`.
    func answered(within bytes: Int) -> Listing {
        let bytes = UInt32(clamping: bytes)
        return switch self {
        case .registry(let request): .registry(request.answered(within: bytes))
        case .statistics(let query): .statistics(query.answered(within: bytes))
        case .dryRun: self
        }
    }

    var opcode: Opcode {
        switch self {
        case .registry(let request): request.rules.opcode
        case .statistics: StatisticsQuery.opcode
        case .dryRun: Message.opcode
        }
    }
}
