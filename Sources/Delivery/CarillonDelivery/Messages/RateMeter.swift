import CarillonCore

/// A count of events by whole seconds. The rate is the larger of two counts: of the present second, and of the second
/// before. The count of a second that has just begun says nothing yet.
struct RateMeter {
    private var second: UInt64 = 0
    private var count: UInt32 = 0
    private var countBefore: UInt32 = 0

    mutating func count(_ more: Int, at now: Uptime) {
        advance(to: now.milliseconds / 1_000)
        count = UInt32(clamping: Int(count) + more)
    }

    func rate(at now: Uptime) -> UInt32 {
        switch now.milliseconds / 1_000 {
        case second: max(countBefore, count)
        case second + 1: count
        default: 0
        }
    }

    private mutating func advance(to now: UInt64) {
        guard now != second else { return }
        countBefore = now == second + 1 ? count : 0
        second = now
        count = 0
    }
}
