/// The positions of the cluster's log that let a client read its own writes at any node (Protocol 6.5). A server
/// without a cluster neither sends positions nor reads them.
struct SharedLogPositions {
    /// The greatest position that the client has asked for.
    private(set) var required: UInt64 = 0
    /// The greatest position that the client was told.
    private var reported: UInt64 = 0

    /// Called before the client is told a position; returns false if it knows that position already.
    mutating func report(_ position: UInt64) -> Bool {
        guard position > reported else { return false }
        reported = position
        return true
    }

    /// Takes a position that the client asks for. Returns true if this node may not be there yet.
    mutating func require(_ position: UInt64) -> Bool {
        guard position > required else { return false }
        required = position
        return position > reported
    }
}
