import CarillonCore

/// The part of a message that its pages need.
extension LoadedMessage {
    /// The fields of a message that the delivery of its pages needs: one reference and a few numbers.
    ///
    /// A page that is checked out has a copy, so this must stay cheap to copy: no array, no set.
    struct Properties {
        /// The message as it came into memory, in one object for all deliveries.
        let outbound: OutboundMessage.Shared
        /// The time at which the message came into memory.
        let loadedAt: Uptime
        /// The time since which the message can be sent: its acceptance, or its release.
        let sendableSince: Uptime
        /// The time after which no attempt starts: `notAfter`, or the time after which the provider itself would
        /// discard the push. `never` if there is no such time.
        let lastAttemptAt: Timestamp
        /// The most deliveries a second; nil if there is no bound.
        private(set) var pace: UInt32?
        /// True if every recipient that is left ends as `cancelled`.
        private(set) var isCancelled: Bool
        /// True if the message leaves the memory as soon as all answers that it awaits have come: it was paused, is
        /// read again from its beginning, or is not sent by this node any more. Recipients without an outcome stay
        /// pending on disk.
        private(set) var isUnloading = false
        /// The number of attempts that were recorded for TRACE; at most `DeliveryEngine.Limits.recordedAttempts`.
        private(set) var recordedAttempts = 0

        init(_ outbound: OutboundMessage, notAfter: Timestamp?, at now: Moment) {
            self.outbound = OutboundMessage.Shared(outbound)
            loadedAt = now.uptime
            let age = now.wall.milliseconds(since: outbound.sendableSince)
            sendableSince = now.uptime.earlier(byMilliseconds: age)
            lastAttemptAt = Self.lastAttempt(of: outbound.content.expiration, notAfter: notAfter)
            pace = outbound.pace
            isCancelled = outbound.isCancelled
        }

        mutating func setPace(_ pace: UInt32?) { self.pace = pace }

        /// Makes `cancelled` the outcome of every recipient that is left.
        mutating func cancel() { isCancelled = true }

        mutating func unload() { isUnloading = true }

        mutating func countRecordedAttempts(_ count: Int) { recordedAttempts += count }

        /// Returns the number of recipients of a page that may be ready in memory, for each destination; nil if the
        /// message has no pace.
        func pacedRecipients(_ limits: DeliveryEngine.Limits) -> Int? {
            pace.map { max(limits.minimumPacedRecipients, Int($0) * limits.pacedSeconds) }
        }

        /// The message as the outbox has it now: with the present pace and cancellation.
        var presentOutbound: OutboundMessage {
            var present = outbound.value
            present.pace = pace
            present.isCancelled = isCancelled
            return present
        }

        var app: AppID { outbound.content.app }
        var lane: Lane { outbound.lane }

        /// True if the audience is read page by page while it is sent to.
        var isLive: Bool { outbound.value.isLive }

        /// True if the message is sent to a broadcast channel, whose one recipient is not a device.
        var isToChannel: Bool { outbound.channel != nil }

        /// The id that stands for the device of a message to a broadcast channel; nil if the message goes to devices.
        var channelDevice: DeviceID? { isToChannel ? .channel : nil }

        /// True if the message is a silent push: each device has a silent-push budget.
        var isSilent: Bool { outbound.content.pushType == .background }

        var queue: OutboxQueue { outbound.value.queue }

        /// Returns the outcome of every recipient that is left, if the message was cancelled or the time of its last
        /// attempt has passed; nil otherwise.
        func finalOutcome(at now: Moment) -> Outcome? {
            if isCancelled { return .cancelled }
            return now.wall > lastAttemptAt ? .expired : nil
        }

        /// The outcome of a recipient that is not in its page any more.
        var outcomeOfMissing: Outcome { isLive ? .left : .unregistered }

        /// True if the provider must deliver a push of the message at once or not at all. A broadcast push may be sent
        /// later also if its expiration says `once`: its channel decides whether APNs stores it, and devices ignore an
        /// update that is older than the update they show.
        var isOnlyForNow: Bool {
            if isToChannel { return false }
            return switch outbound.content.expiration {
            case .once: true
            case .at: false
            case .unspecified: outbound.content.pushType == .voip || outbound.content.pushType == .pushtotalk
            }
        }

        /// The `lastAttemptAt` of a message whose attempts have no end.
        static let never = Timestamp(milliseconds: .max)

        private static func lastAttempt(of expiration: Expiration, notAfter: Timestamp?) -> Timestamp {
            var last = notAfter ?? never
            if case .at(let seconds) = expiration {
                let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
                last = min(last, Timestamp(milliseconds: overflow ? .max : milliseconds))
            }
            return last
        }
    }
}
