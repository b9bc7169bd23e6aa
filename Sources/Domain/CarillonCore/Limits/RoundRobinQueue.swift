/// A queue of the work of several principals: it gives one piece of each in turn. The pieces of one principal keep
/// their order.
///
/// A principal has a bounded number of pieces under way at a time, so that its long work does not hold up the others.
package struct RoundRobinQueue<Element> {
    /// The pieces of one principal that wait, in two stacks: adding at one end and removing at the other take constant
    /// time, however many wait.
    private struct TwoStacks {
        /// The pieces that are taken next; the last is the oldest of all.
        private var next: [Element] = []
        /// The pieces that came after the pieces in `next`; the last is the newest.
        private var later: [Element] = []

        var isEmpty: Bool { next.isEmpty && later.isEmpty }

        /// The pieces that wait, the oldest first.
        var all: [Element] { next.reversed() + later }

        mutating func append(_ element: Element) { later.append(element) }

        mutating func popFirst() -> Element? {
            if next.isEmpty {
                next = later.reversed()
                later = []
            }
            return next.popLast()
        }
    }

    /// The pieces that wait, of each principal that has any.
    private var waiting: [String: TwoStacks] = [:]
    /// The principals that have pieces waiting, in the order of their turns.
    private var turns: [String] = []
    /// The number of pieces under way, of each principal that has any.
    private var running: [String: Int] = [:]
    private let maximumRunning: Int

    /// Makes an empty queue.
    ///
    /// - Parameter maximumRunning: the pieces of one principal that may be under way at a time, at least 1.
    package init(maximumRunning: Int) {
        self.maximumRunning = max(1, maximumRunning)
    }

    /// The number of pieces that wait.
    package private(set) var count = 0

    package func isWaiting(_ principal: String) -> Bool { waiting[principal] != nil }

    package mutating func append(_ element: Element, of principal: String) {
        if waiting[principal] == nil { turns.append(principal) }
        waiting[principal, default: TwoStacks()].append(element)
        count += 1
    }

    /// Begins the next piece whose principal may have one more under way; returns nil if no such piece waits.
    /// `pieceEnded` must follow.
    package mutating func begin() -> (element: Element, principal: String)? {
        guard let turn = turns.firstIndex(where: { running[$0, default: 0] < maximumRunning }) else { return nil }
        let principal = turns.remove(at: turn)
        guard let element = waiting[principal]?.popFirst() else { return nil }
        count -= 1
        running[principal, default: 0] += 1
        if waiting[principal]?.isEmpty == true { waiting[principal] = nil } else { turns.append(principal) }
        return (element, principal)
    }

    package mutating func pieceEnded(of principal: String) {
        let remaining = running[principal, default: 1] - 1
        running[principal] = remaining > 0 ? remaining : nil
    }

    /// Removes and returns all pieces that wait.
    package mutating func removeAll() -> [Element] {
        defer {
            waiting = [:]
            turns = []
            count = 0
        }
        return turns.flatMap { waiting[$0]?.all ?? [] }
    }
}
