package import CarillonCore
package import CarillonFCM
import Synchronization

/// The quota of one Firebase project, for all connections of all pools that send for it.
package final class ProjectQuota: Sendable {
    private let quota: Mutex<FCMQuota>

    package init(limits: FCMQuota.Limits = FCMQuota.Limits(), now: Uptime) {
        quota = Mutex(FCMQuota(limits: limits, now: now))
    }

    /// Takes up to `wanted` messages. Returns the number that may be sent now, and, if it is smaller, the time at which
    /// more may be sent.
    func take(upTo wanted: Int, at now: Uptime) -> (count: Int, next: Uptime?) {
        quota.withLock { quota in
            let count = quota.take(upTo: wanted, at: now)
            return (count, count < wanted ? quota.nextTime(after: now) : nil)
        }
    }

    /// Gives back messages that were taken and are not sent.
    func giveBack(_ count: Int) {
        if count > 0 { quota.withLock { $0.giveBack(count) } }
    }

    /// Called when FCM has answered that the quota is used up; see `FCMQuota.exceeded`.
    func exceeded(retryAfterMilliseconds: UInt64?, handedOutAt: Uptime, at now: Uptime) {
        quota.withLock {
            $0.exceeded(retryAfterMilliseconds: retryAfterMilliseconds, handedOutAt: handedOutAt, at: now)
        }
    }

    /// Takes over another quota that Google has granted; see `FCMQuota.setQuota`.
    package func setQuota(messagesPerMinute: UInt32) {
        quota.withLock { $0.setQuota(messagesPerMinute: messagesPerMinute) }
    }

    package var currentMessagesPerMinute: Int { quota.withLock { $0.currentMessagesPerMinute } }
}
