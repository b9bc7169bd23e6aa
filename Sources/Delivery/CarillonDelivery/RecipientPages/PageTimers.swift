import CarillonCore
import HeapModule

/// The times at which pages are looked at again, because a recipient in them is due.
struct PageTimers: Sendable {
    /// The timer of a page: the time at which the page is looked at again.
    private struct Timer: Comparable {
        var at: Uptime
        var key: PageKey

        static func < (left: Timer, right: Timer) -> Bool {
            (left.at, left.key) < (right.at, right.key)
        }
    }

    private var timers = Heap<Timer>()
    /// The number of timers above which the timers of pages that have ended are removed.
    private var timersBeforeRemoval = minimumTimersBeforeRemoval

    static let minimumTimersBeforeRemoval = 1_024

    /// The number of timers that are set; some may be of pages that have ended.
    var count: Int { timers.count }

    /// The uptime of the first timer; nil if no timer is set.
    var next: Uptime? { timers.min?.at }

    /// True if the timers of pages that have ended should be removed, because there are many timers.
    var isRemovalDue: Bool { timers.count > timersBeforeRemoval }

    mutating func add(_ key: PageKey, at due: Uptime) {
        timers.insert(Timer(at: due, key: key))
    }

    /// Removes and returns the page of the first timer that is due.
    mutating func takeDue(at now: Uptime) -> PageKey? {
        guard let timer = timers.min, timer.at <= now else { return nil }
        return timers.popMin()?.key
    }

    /// Removes the timers of pages that are no longer open in `messages`.
    mutating func removeTimersOfEndedPages(among messages: LoadedMessageStore) {
        timers = Heap(timers.unordered.filter { messages[$0.key.message]?.openPages.contains($0.key.page) == true })
        timersBeforeRemoval = max(Self.minimumTimersBeforeRemoval, 2 * timers.count)
    }
}
