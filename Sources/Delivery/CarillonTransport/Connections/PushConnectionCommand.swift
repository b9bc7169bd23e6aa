/// A command of the connection group to a connection, sent as a user event of the channel.
enum PushConnectionCommand: Sendable {
    case pull
    /// Take no new work, await the answers in flight, and then close.
    case drain
    /// Submit at most that many pushes in each interval of that many milliseconds; nil = as many as there are streams.
    case limitRate(Int?, intervalMilliseconds: UInt64)
    /// Take pushes of the bulk lane too, or leave them to other connections.
    case carryBulk(Bool)
}
