package import CarillonCore

/// The quota of a Firebase project, shared by all its connections: a token bucket that is filled evenly, and more and
/// more quickly while it is new.
///
/// FCM counts the messages of a minute that does not begin with the minute of the clock, refusals included. Google asks
/// to spread messages over the minute and to raise the rate smoothly over at least a minute, when traffic begins and
/// after a refusal (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
package struct FCMQuota: Sendable {
    /// Limits of a project.
    package struct Limits: Hashable, Sendable {
        /// The messages that may be sent in a minute: Google's default. A project can have more.
        package var messagesPerMinute: UInt32 = 600_000
        /// The fraction of the quota that is used: other servers may send for the same project, and clocks differ.
        package var usedFraction = 0.95
        /// The time from the first message to the full rate.
        package var rampMilliseconds: UInt64 = 60_000
        /// The rate at the beginning of the ramp, as a fraction of the full rate.
        package var initialFraction = 1.0 / 60
        /// The messages that may be sent at once, in milliseconds of the rate.
        package var burstMilliseconds: UInt64 = 250
        /// The time without a message after which the next traffic is new traffic.
        package var idleMilliseconds: UInt64 = 600_000
        /// The delay after a refusal that names none.
        package var defaultDelayMilliseconds: UInt64 = 60_000
        /// The longest delay that a refusal can ask for.
        package var longestDelayMilliseconds: UInt64 = 600_000

        package init() {}
    }

    /// The longest time between two messages that counts as traffic, in milliseconds.
    private static let stepMilliseconds = 1_000.0

    private var limits: Limits
    /// The most messages a millisecond.
    private var fullRatePerMillisecond: Double
    /// The messages a millisecond at the time `filledAt`.
    private var ratePerMillisecond: Double
    private var available: Double
    private var filledAt: Uptime
    private var lastTaken: Uptime
    private var delayedUntil: Uptime = 0

    package init(limits: Limits = Limits(), now: Uptime) {
        self.limits = limits
        fullRatePerMillisecond = Self.fullRatePerMillisecond(of: limits)
        ratePerMillisecond = fullRatePerMillisecond * min(max(limits.initialFraction, 0.001), 1)
        available = 1
        filledAt = now
        lastTaken = now
    }

    private static func fullRatePerMillisecond(of limits: Limits) -> Double {
        max(1, Double(limits.messagesPerMinute) * min(max(limits.usedFraction, 0.01), 1)) / 60_000
    }

    /// Takes over another quota that Google has granted. A higher quota is reached as smoothly as the first one.
    package mutating func setQuota(messagesPerMinute: UInt32) {
        limits.messagesPerMinute = messagesPerMinute
        fullRatePerMillisecond = Self.fullRatePerMillisecond(of: limits)
        ratePerMillisecond = min(ratePerMillisecond, fullRatePerMillisecond)
        available = min(available, burst)
    }

    /// Takes up to `wanted` messages; returns the number that may be sent now.
    package mutating func take(upTo wanted: Int, at now: Uptime) -> Int {
        guard wanted > 0, now >= delayedUntil else { return 0 }
        if now.milliseconds(since: lastTaken) >= limits.idleMilliseconds {
            ratePerMillisecond = min(ratePerMillisecond, fullRatePerMillisecond * limits.initialFraction)
            filledAt = now
        }
        fill(at: now)
        let taken = min(wanted, Int(available))
        guard taken > 0 else { return 0 }
        available -= Double(taken)
        lastTaken = now
        return taken
    }

    /// Gives back messages that were taken and never written.
    package mutating func giveBack(_ count: Int) {
        available = min(available + Double(max(0, count)), burst)
    }

    /// Returns the time at which a message may be sent, if none may be now.
    package func nextTime(after now: Uptime) -> Uptime {
        if now < delayedUntil { return delayedUntil }
        return now.later(byMilliseconds: max(1, UInt64(max(0, 1 - available) / ratePerMillisecond + 1)))
    }

    /// Delays all messages, because FCM has answered that the quota of the project is used up (a 429 that is not about
    /// a device).
    ///
    /// - Parameters:
    ///   - retryAfterMilliseconds: the delay that the answer asks for; nil if it asks for none.
    ///   - handedOutAt: when the message was handed out: a refusal of one that was handed out before the delay says
    ///     nothing new.
    package mutating func exceeded(retryAfterMilliseconds: UInt64?, handedOutAt: Uptime, at now: Uptime) {
        let delayMilliseconds = min(
            retryAfterMilliseconds ?? limits.defaultDelayMilliseconds, limits.longestDelayMilliseconds)
        let end = now.later(byMilliseconds: delayMilliseconds)
        guard handedOutAt >= delayedUntil else {
            // The same overload, seen again: the delay may become longer, the rate is not halved twice.
            if retryAfterMilliseconds != nil { delayedUntil = max(delayedUntil, end) }
            return
        }
        fill(at: now)
        ratePerMillisecond = max(fullRatePerMillisecond * limits.initialFraction, ratePerMillisecond / 2)
        available = 0
        delayedUntil = end
        filledAt = end
        lastTaken = end
    }

    /// The messages that may be sent in a minute now, for metrics.
    package var currentMessagesPerMinute: Int { Int(ratePerMillisecond * 60_000) }

    private var burst: Double { max(1, ratePerMillisecond * Double(limits.burstMilliseconds)) }

    private mutating func fill(at now: Uptime) {
        let elapsed = Double(now.milliseconds(since: filledAt))
        guard elapsed > 0 else { return }
        // Only traffic raises the rate: a delay of a minute does not count as a minute of traffic.
        let step = min(elapsed, Self.stepMilliseconds) / Double(max(1, limits.rampMilliseconds))
        ratePerMillisecond = min(fullRatePerMillisecond, ratePerMillisecond + fullRatePerMillisecond * step)
        available = min(available + elapsed * ratePerMillisecond, burst)
        filledAt = now
    }
}
