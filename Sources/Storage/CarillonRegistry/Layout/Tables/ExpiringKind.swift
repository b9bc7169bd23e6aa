import CarillonCore

/// The kinds of items; each has its own retention.
enum ExpiringKind: UInt8, CaseIterable {
    case tombstone = 1
    case idempotencyKey = 2
    case message = 3
    case quarantined = 4
}
