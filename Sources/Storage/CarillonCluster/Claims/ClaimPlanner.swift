package import CarillonCore

/// Plans the claims that this node makes next. The node claims enough pages for its streams to have work while the next
/// claim is on its way to the log and back. It claims no more, so that the other nodes have work too.
///
/// A node keeps as many pages ahead as it sends in ``Limits/aheadMilliseconds`` at the rate that it has reached. So a
/// node that is twice as fast sends twice as much, and equally fast nodes send the same. A node is ahead of the others
/// by at most a few seconds of its own work. Near the end of a message the claims become smaller, so that the nodes end
/// at about the same time.
///
/// For example, two nodes send a message of 1,000 pages. One node has reached 40 pages a second, so it keeps 40 pages
/// ahead. As soon as it has begun all but 20 of them, it claims the difference. Once only 60 pages are unclaimed, no
/// claim takes more than half of an equal share: 15 pages, and then less and less.
package struct ClaimPlanner: Sendable {
    /// The sizes of claims.
    package struct Limits: Hashable, Sendable {
        /// The most pages of one claim, and the most pages ahead of need.
        package var pages: UInt32 = 64
        /// The number of pages that are claimed ahead of need at least, in all messages. A node whose rate is not known
        /// yet begins with this number, so the pages must last until a claim is answered.
        package var minimumPagesAhead: UInt32 = 8
        /// The milliseconds of work ahead of need.
        package var aheadMilliseconds: UInt64 = 1_000
        /// The most claims that wait for their answers at a time.
        package var claims = 16
        /// The fewest pages that a node holds while one of its claims waits for other changes. A fast node writes the
        /// outcomes of this many pages at once, and the claim goes with them.
        package var minimumPagesWhileWaiting: UInt32 = 2
        /// The shortest time that these pages last, in milliseconds.
        package var minimumWhileWaitingMilliseconds: UInt64 = 400

        package init() {}
    }

    /// A message with pages that the node may claim, as the replica and the delivery engine know it.
    package struct Candidate: Hashable, Sendable {
        package var message: MessageID
        /// The full pages that this node could claim.
        package var claimablePages: UInt32
        /// The full pages that this node holds and has not begun to read.
        package var pagesNotBegun: UInt32
        /// True if this node has no page of the message. Such messages come first, so that none waits until another has
        /// ended.
        package var isIdle: Bool

        package init(message: MessageID, claimablePages: UInt32, pagesNotBegun: UInt32, isIdle: Bool) {
            self.message = message
            self.claimablePages = claimablePages
            self.pagesNotBegun = pagesNotBegun
            self.isIdle = isIdle
        }
    }

    /// A claim that the node makes.
    package struct Claim: Hashable, Sendable {
        package var message: MessageID
        /// The number of full pages.
        package var pages: UInt32
        /// True if the node has work for a while: the claim may wait for other changes, and go into their entry.
        package var mayWait: Bool
    }

    private let limits: Limits
    /// The pages that were asked for of each message, until the claim is answered.
    private var underWay: [MessageID: UInt32] = [:]
    /// The number of pages that ended since ``countedSince``.
    private var endedPages: UInt64 = 0
    private var countedSince: Uptime
    /// The pages a second of the time before ``countedSince``; 0 if they are not known.
    private var rate: UInt64 = 0

    /// The shortest time over which a rate is counted, in milliseconds. A fan-out may be over in two seconds, and a
    /// node whose rate was low before must find its present rate long before that.
    private static let minimumMeasuredMilliseconds: UInt64 = 250

    /// The longest time over which a rate is counted, in milliseconds: an hour. A sum with it does not overflow.
    private static let maximumMeasuredMilliseconds: UInt64 = Milliseconds.perHour

    /// The rate of the node is counted from `now` on.
    package init(limits: Limits = Limits(), at now: Uptime) { (self.limits, countedSince) = (limits, now) }

    /// Counts pages that have ended: all their recipients have outcomes.
    package mutating func pagesEnded(_ count: Int, at now: Uptime) {
        updateRate(at: now)
        endedPages += UInt64(max(0, count))
    }

    /// Returns the pages a second that the node has reached, counted over the last 250 ms or more. After that the rate
    /// decays to half in a second, if the node ends fewer pages.
    package mutating func pagesPerSecond(at now: Uptime) -> UInt64 {
        updateRate(at: now)
        return rate
    }

    private mutating func updateRate(at now: Uptime) {
        let passed = min(now.milliseconds(since: countedSince), Self.maximumMeasuredMilliseconds)
        guard passed >= Self.minimumMeasuredMilliseconds else { return }
        let (product, overflows) = endedPages.multipliedReportingOverflow(by: 1_000)
        // During a time without work the rate of a node decays, to half after a second. So the node begins anew with
        // small claims.
        let kept = min(rate, .max / 1_000) * 1_000 / (passed + 1_000)
        rate = max((overflows ? .max : product) / passed, kept)
        endedPages = 0
        countedSince = now
    }

    /// Decides which claims this node makes now. Each counts until ``claimEnded(_:)`` or ``forgetClaims()``.
    ///
    /// - Parameters:
    ///   - candidates: the messages of the outbox that this node could send, the oldest first.
    ///   - nodes: the number of live nodes, this one included.
    package mutating func makeClaims(
        among candidates: [Candidate], nodes: Int, at now: Uptime
    ) -> [Claim] {
        updateRate(at: now)
        let ahead = min(
            max(UInt32(clamping: pages(in: limits.aheadMilliseconds)), limits.minimumPagesAhead), limits.pages)
        let held = candidates.reduce(0) { $0 + UInt64($1.pagesNotBegun) }
        let mayWait =
            rate > 0
            && held >= max(UInt64(limits.minimumPagesWhileWaiting), pages(in: limits.minimumWhileWaitingMilliseconds))
        var waiting = underWay.values.reduce(held) { $0 + UInt64($1) }
        var claims: [Claim] = []
        for candidate in candidates.filter(\.isIdle) + candidates.filter({ !$0.isIdle }) {
            guard underWay.count < limits.claims else { break }
            guard candidate.claimablePages > 0, underWay[candidate.message] == nil else { continue }
            guard candidate.isIdle || waiting * 2 <= UInt64(ahead) else { continue }
            let room = max(1, UInt32(clamping: UInt64(ahead) - min(waiting, UInt64(ahead))))
            // A claim takes at most half of an equal share of the pages that are left.
            let share = max(1, candidate.claimablePages / UInt32(clamping: 2 * max(1, nodes)))
            let pages = min(room, share, limits.pages)
            guard pages > 0 else { continue }
            claims.append(Claim(message: candidate.message, pages: pages, mayWait: mayWait && !candidate.isIdle))
            underWay[candidate.message] = pages
            waiting += UInt64(pages)
        }
        return claims
    }

    /// Returns the number of pages that the node sends in a time.
    private func pages(in milliseconds: UInt64) -> UInt64 {
        let (product, overflows) = rate.multipliedReportingOverflow(by: milliseconds)
        return (overflows ? .max : product) / 1_000
    }

    /// Ends a claim that has its answer, or will have none.
    package mutating func claimEnded(_ message: MessageID) { underWay[message] = nil }

    /// Forgets all claims, because the incarnation is over: their answers mean nothing to the next one.
    package mutating func forgetClaims() { underWay = [:] }
}
