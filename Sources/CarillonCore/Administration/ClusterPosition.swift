/// A position in the log of a cluster: what was acknowledged at or before it is part of every state that contains it
/// (Protocol 6.5).
///
/// A client keeps the greatest position that it has seen, and reads from states that contain it, at whichever node. A
/// program that reads with another client what it has written with this one passes the position on, for example as text
/// in a header of its own requests.
public struct ClusterPosition: Hashable, Sendable, LosslessStringConvertible {
    /// Names the cluster: a position of one means nothing in another.
    public var cluster: UUIDBytes
    /// The number of the entry of the log.
    public var number: UInt64

    /// The position of an entry in the log of that cluster.
    public init(cluster: UUIDBytes, number: UInt64) { (self.cluster, self.number) = (cluster, number) }

    /// The cluster, a colon and the number.
    public var description: String { "\(cluster):\(number)" }

    /// Reads a description; nil if the text is none.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        // UInt64 reads a sign, which no description has.
        guard parts.count == 2, let cluster = UUIDBytes(String(parts[0])),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt64(parts[1])
        else { return nil }
        self.init(cluster: cluster, number: number)
    }
}
