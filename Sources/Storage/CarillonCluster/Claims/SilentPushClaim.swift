/// The claim of a member to send the silent pushes of an app: a row of the replicated state while a member has the
/// claim.
///
/// The outcomes in the state say how much of a device's silent-push budget is left. Two nodes with one silent push each
/// on the way to one device would both find the budget sufficient. So one node at a time sends the silent messages of
/// an app, as with a message that has a pace. That node counts in memory what is on its way, like a single server. If
/// the sender dies, the budget of a device can be exceeded by the pushes that it had on the wire.
package struct SilentPushClaim: Hashable, Sendable {
    /// The incarnation of the sender.
    package private(set) var owner: UInt64
    /// The number of blocks of silent messages of the app that the sender holds.
    package private(set) var blocks: UInt32

    /// Returns true if a member may claim blocks of silent messages of an app with this row.
    ///
    /// - Parameter claim: nil if the app has no row.
    package static func mayClaim(_ claim: SilentPushClaim?, by incarnation: UInt64, among live: LiveMembers) -> Bool {
        guard let claim else { return true }
        return claim.owner == incarnation || !live.isLive(claim.owner)
    }

    /// Returns the row after a member that may claim has claimed blocks.
    package static func afterClaim(_ claim: SilentPushClaim?, blocks: UInt32, by incarnation: UInt64) -> SilentPushClaim
    {
        // Blocks of a sender that is over are free, and count for none.
        let before = claim?.owner == incarnation ? claim?.blocks ?? 0 : 0
        return SilentPushClaim(owner: incarnation, blocks: before + min(blocks, .max - before))
    }

    /// Returns the row after a member has ended or released a block; nil if the app no longer has a sender.
    package static func afterBlockEnded(_ claim: SilentPushClaim, by incarnation: UInt64) -> SilentPushClaim? {
        guard claim.owner == incarnation else { return claim }
        guard claim.blocks > 1 else { return nil }
        return SilentPushClaim(owner: incarnation, blocks: claim.blocks - 1)
    }

    private init(owner: UInt64, blocks: UInt32) { (self.owner, self.blocks) = (owner, blocks) }

    /// The encoded row: the version `u8` 1, the owner `u64` and the blocks `u32`.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [1]
        bytes.append(bigEndian: owner)
        bytes.append(bigEndian: blocks)
        return bytes
    }

    /// Reads ``bytes``.
    package init(_ bytes: [UInt8]) throws(StoredBytesError) {
        var reader = StoredBytesReader(bytes[...])
        guard try reader.number() as UInt8 == 1 else { throw .unknownForm }
        self.init(owner: try reader.number(), blocks: try reader.number())
        guard owner > 0, blocks > 0 else { throw .contradictory }
        try reader.end()
    }
}
