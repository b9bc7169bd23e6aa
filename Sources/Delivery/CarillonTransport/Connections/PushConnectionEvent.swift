import CarillonCore
import CarillonProvider

/// A report of a connection to its group, made on the connection's event loop.
enum PushConnectionEvent: Sendable {
    /// The SETTINGS of the provider were received.
    case settingsReceived
    /// The connection has shown that it works.
    case opened
    /// The connection takes no new work. Reported once, at the latest when the connection is closed. `openMilliseconds`
    /// are counted from `opened`; nil if that was not reported.
    case retired(PoolMachine.Retirement, openMilliseconds: UInt64?)
    /// All streams are in use, and there may be more work.
    case saturated
    /// The peer takes nothing of the work that waits.
    case blocked
    /// The provider has ended the connection because of the credential.
    case credentialRefused(reason: String)
    /// The provider has refused the provider token as expired, or as renewed too often.
    case providerTokenRefused(reason: String)
    /// The connection has given up the interactive lane: the other connections are to pull from the lane.
    case laneReleased
    /// The connection has ended while these attempts had no answer, and one of them may be the reason. Reported before
    /// they are given back.
    case ended(unanswered: [Attempt])
}
