/// The reason why one device did or did not get one message (TRACE, Protocol 10.8).
public struct MessageTrace: Hashable, Sendable {
    /// One part of the audience that the device belongs to.
    public enum Source: Hashable, Sendable {
        /// The message names the device by its id or its token.
        case device
        /// The message is addressed to a group, and the device is in it.
        case group(GroupName)
        /// The message is addressed to a topic; the device is subscribed itself, or through `group`.
        case topic(TopicName, through: GroupName?)
        /// A term of the condition that holds for the device, in its canonical form.
        case term(String)
        /// The message is addressed to every device of the app.
        case all
    }

    /// Says whether the device is one of the message's recipients.
    public enum Addressing: UInt8, Hashable, Sendable {
        /// The device is a recipient: its page of the audience is fixed and holds it.
        case recipient = 1
        /// The device is no recipient, and will not become one.
        case noRecipient = 2
        /// The device would be a recipient if its page, which is not fixed yet, were fixed now.
        case wouldBeRecipient = 3
        /// The device would not be a recipient if its page, which is not fixed yet, were fixed now.
        case wouldBeNoRecipient = 4
    }

    /// The device that the trace is about.
    public var device: DeviceID
    /// True if the device is quarantined now.
    public var isQuarantined: Bool
    /// The state of the message now.
    public var state: MessageState
    /// Says whether the device is a recipient.
    public var addressing: Addressing
    /// The sources through which the device is in the audience, by the registry's present state; empty if it is not in
    /// it now. At most `maximumSources`.
    public var sources: [Source]
    /// The outcome of the delivery: `pending` if it has not ended, or if the device is not a recipient.
    public var outcome: Outcome
    /// True if the device itself is muted now.
    public var isMuted: Bool
    /// The muted groups that the device is in now; at most `maximumSources`.
    public var mutedGroups: [GroupName]
    /// The language of the body that the device would get now: empty for the body without a language; nil if no body
    /// fits.
    public var language: String?
    /// The number of further silent pushes that the device's silent-push budget allows now; nil if the message is not a
    /// silent push, or without a silent-push budget.
    public var silentBudgetLeft: UInt32?
    /// The attempts that are remembered, the oldest first; at most `maximumAttempts`.
    public var attempts: [TraceAttempt]
    /// The time at which the next attempt may start; nil if none waits for a time.
    public var nextAttemptAt: Timestamp?

    /// The most sources, and the most muted groups, in one trace.
    public static let maximumSources = 32
    /// The most attempts in one trace: the newest are kept.
    public static let maximumAttempts = 8

    /// Makes the trace of a device that is neither muted nor quarantined, with empty lists and no language. Lists that
    /// are set must not be longer than their bounds.
    public init(device: DeviceID, state: MessageState, addressing: Addressing, outcome: Outcome) {
        self.device = device
        self.state = state
        self.addressing = addressing
        self.outcome = outcome
        isQuarantined = false
        sources = []
        isMuted = false
        mutedGroups = []
        attempts = []
    }
}
